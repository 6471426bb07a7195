//! The overhead of the operating system and its agents on a node: the nominal and the usable shape.

use super::shape::CapacityShape;

const MIB: i64 = 1 << 20;
const GIB: i64 = 1 << 30;

/// Brackets of memory: the size of each in GiB, and the share reserved of it.
const STEPS: [(f64, f64); 5] = [(4.0, 0.25), (4.0, 0.20), (8.0, 0.10), (112.0, 0.06), (f64::INFINITY, 0.02)];

/// Returns the bytes reserved of this much memory: 255 MiB below 1 GiB, even where there is less.
pub fn memory_overhead(bytes: i64) -> i64 {
    if bytes < GIB {
        return 255 * MIB;
    }
    let (mut kept, mut left) = (0.0, bytes as f64);
    for (gib, share) in STEPS {
        let part = left.min(gib * GIB as f64);
        kept += part * share;
        left -= part;
        if left <= 0.0 {
            break;
        }
    }
    kept as i64 + 100 * MIB
}

/// Returns the bytes reserved of this much disk: 5 GB and a twentieth, at most the whole disk.
pub fn disk_overhead(bytes: i64) -> i64 {
    let need = 5_000_000_000 + (0.05 * bytes as f64) as i64;
    if bytes <= need { bytes } else { need }
}

/// Returns the part of a node type that jobs can use. With less than 255 MiB, the memory left is negative.
pub fn usable(nominal: &CapacityShape) -> CapacityShape {
    CapacityShape {
        memory: nominal.memory.saturating_sub(memory_overhead(nominal.memory)),
        disk: nominal.disk.saturating_sub(disk_overhead(nominal.disk)),
        ..*nominal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_step_at_one_gibibyte() {
        assert_eq!(GIB - 1 - memory_overhead(GIB - 1), 769 * MIB - 1);
        assert_eq!(GIB - memory_overhead(GIB), 668 * MIB);
        assert_eq!(memory_overhead(260_000_000_000), 12_563_352_330);
    }

    #[test]
    fn a_small_disk_is_taken_whole() {
        assert_eq!(disk_overhead(5_263_157_894), 5_263_157_894);
        assert_eq!(disk_overhead(5_263_157_896), 5_263_157_894);
        assert_eq!(disk_overhead(0), 0);
    }
}
