//! Work that is less urgent: its thread yields to the one that handles keys.

/// Difference in nice values between a thread that handles keys and one that works for it: if both want a core, the
/// second gets a quarter.
#[cfg(target_os = "linux")]
const STEPS: i32 = 5;

/// Lowers the priority of the calling thread, and of those that it starts from now on, below that of threads that
/// handle keys. On systems other than Linux priorities belong to whole processes, so nothing is done.
pub fn lower_priority() {
    // Without the permission the thread keeps its priority: slower keys are not an error.
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{getpriority_process, setpriority_process};
        let thread = Some(rustix::thread::gettid());
        let _ = getpriority_process(thread).and_then(|now| setpriority_process(thread, now + STEPS));
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn a_thread_and_what_it_starts_give_way_and_no_other() {
        let of_thread = || rustix::process::getpriority_process(Some(rustix::thread::gettid()));
        let before = of_thread().unwrap();
        let worker = std::thread::spawn(move || {
            lower_priority();
            (of_thread(), std::thread::spawn(of_thread).join())
        });
        let (own, started) = worker.join().unwrap();
        let behind = (before + STEPS).min(19);
        assert_eq!((own, started.unwrap()), (Ok(behind), Ok(behind)));
        assert_eq!(of_thread(), Ok(before));
    }
}
