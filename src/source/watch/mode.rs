//! Describes how changes are noticed, for the header.

use std::fmt;
use std::time::Duration;

/// How changes are noticed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WatchMode {
    /// Time between two polls.
    pub poll: Duration,
    /// Whether the kernel reports changes too.
    pub events: bool,
    /// Network file system of the folder, if any.
    pub network: Option<&'static str>,
    /// Additional remark: why the kernel does not report, or that the folder is missing.
    pub remark: Option<String>,
}

impl WatchMode {
    /// Whether the kernel reports changes, and polling is only the fallback.
    pub fn is_usual(&self) -> bool {
        self.events && self.network.is_none() && self.remark.is_none()
    }
}

impl fmt::Display for WatchMode {
    /// Shows for example `inotify + poll 2 s` or `poll 1 s, NFS`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.events && self.network.is_none() {
            f.write_str("inotify + ")?;
        }
        write!(f, "poll {} s", self.poll.as_millis() as f64 / 1000.0)?;
        if let Some(network) = self.network {
            write!(f, ", {network}")?;
        }
        match &self.remark {
            Some(remark) => write!(f, ", {remark}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_shown_in_the_headers_words() {
        let mut mode = WatchMode { poll: Duration::from_secs(2), events: true, network: None, remark: None };
        assert_eq!((mode.to_string().as_str(), mode.is_usual()), ("inotify + poll 2 s", true));
        mode.network = Some("NFS");
        assert!(!mode.is_usual());
        assert_eq!(mode.to_string(), "poll 2 s, NFS");
        mode.poll = Duration::from_millis(200);
        mode.remark = Some("no more watches".to_owned());
        assert_eq!(mode.to_string(), "poll 0.2 s, NFS, no more watches");
    }
}
