//! Room.
/// Entry point.
///
/// # Errors
/// None.
pub fn main() -> color_eyre::Result<std::process::ExitCode> {
    Ok(std::process::ExitCode::SUCCESS)
}
