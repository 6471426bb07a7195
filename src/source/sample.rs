//! The cluster that opens if no folder is given: a small real dump, built into the program.

/// Returns the files of `samples/campus`, with their names.
pub fn built_in() -> Vec<(&'static str, &'static [u8])> {
    FILES.to_vec()
}

/// Includes one file of the sample.
macro_rules! file {
    ($name:literal) => {
        ($name, include_bytes!(concat!("../../samples/campus/", $name)).as_slice())
    };
}

const FILES: &[(&str, &[u8])] = &[
    file!("nodes.json"),
    file!("jobs-t.json"),
    file!("queues.json"),
    file!("server.json"),
    file!("sched.txt"),
    file!("resources.txt"),
    file!("resvs.txt"),
    file!("sched_config"),
    file!("holidays"),
    file!("dedicated_time"),
    file!("resource_group"),
    file!("now"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_is_small_and_json_is_json() {
        let files = built_in();
        assert!(files.iter().map(|(_, bytes)| bytes.len()).sum::<usize>() < 200_000);
        for (name, bytes) in files.iter().filter(|(name, _)| name.ends_with(".json")) {
            let value: serde_json::Value = serde_json::from_slice(bytes).unwrap();
            assert!(value["timestamp"].is_number(), "{name}");
        }
    }

    #[test]
    fn the_sample_carries_no_environment() {
        for (name, bytes) in built_in() {
            let text = String::from_utf8_lossy(bytes);
            assert!(!text.contains("Variable_List") && !text.contains("/home/"), "{name}");
        }
    }
}
