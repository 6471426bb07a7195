//! The `qscope` program: everything is in the library.

fn main() -> color_eyre::Result<std::process::ExitCode> {
    qscope::command::main()
}
