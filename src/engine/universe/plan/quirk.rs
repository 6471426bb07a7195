//! Deviations of the real scheduler from its design, each with a name and switched on or off separately.

/// One bug or deviation of the real scheduler.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, strum::IntoStaticStr, strum::VariantArray,
)]
#[repr(u8)]
#[strum(serialize_all = "kebab-case")]
pub enum Quirk {
    /// B1: a node remembers only the last placement set made for it.
    LastSetOnly,
    /// B2: a bucket job that must wait for its set spans sets immediately.
    SpanWhenFull,
    /// B3: a node's bucket index is stored before the buckets are sorted.
    StaleBucketIndex,
    /// B4: a top job marks its nodes as busy later in the server's buckets only.
    CalendarNotInSets,
    /// B5: job classes do not differ by resources that the `resources` line does not name, notably booleans.
    ClassIgnoresBooleans,
    /// D1: only requested resources make up signatures and set sums.
    RequestedSignature,
    /// D2: a node joins a bucket if every resource of the bucket is equal on it.
    OneSidedMatch,
    /// D3: sort keys on assigned amounts also rule out the bucket path, in any period.
    AssignedSort,
    /// D4: exclhost counts as excl when the path is chosen.
    ExclhostIsExcl,
    /// D5: a chunk without any consumable fits no bucket.
    UnlimitedChunk,
    /// D6: "Can Never Run" without a text, if all buckets match but their total is too small.
    EmptyNever,
    /// D10: prime_spill is read from the lines of the other period.
    SpillSwapped,
    /// D11: a job made a top job earlier in this cycle leaves the bucket path.
    PreviousPlacement,
    /// D12: `node_group_sort_key` is unknown.
    NoGroupSort,
}

impl Quirk {
    /// All quirks, bugs first.
    pub const ALL: &[Self] = <Self as strum::VariantArray>::VARIANTS;

    /// The four bugs that the fixed semantics correct; the fifth is corrected only when it is switched off by name.
    pub const BUGS: [Self; 4] =
        [Self::LastSetOnly, Self::SpanWhenFull, Self::StaleBucketIndex, Self::CalendarNotInSets];

    pub fn name(self) -> &'static str {
        self.into()
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|quirk| quirk.name() == name)
    }

    /// Returns one sentence that explains the quirk.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::LastSetOnly => {
                "a node remembers only the last placement set made for it, so the others go on counting it as free"
            }
            Self::SpanWhenFull => {
                "on the bucket path a job that one set could hold later spans sets at once, even when spanning is forbidden"
            }
            Self::StaleBucketIndex => {
                "a node's bucket number is taken before the buckets are sorted, so later updates can hit another bucket"
            }
            Self::CalendarNotInSets => {
                "a top job makes its nodes busy-later in the server's buckets only, not in those of the sets"
            }
            Self::ClassIgnoresBooleans => {
                "jobs that differ only in booleans, which the resources line need not name, are refused together"
            }
            Self::RequestedSignature => {
                "only resources that some job or reservation requests in this cycle make up signatures and set sums"
            }
            Self::OneSidedMatch => {
                "a node joins a bucket when every resource of the bucket is equal on the node, whatever else the node has"
            }
            Self::AssignedSort => {
                "a node_sort_key on assigned, in either period, leaves the bucket path as one on unused does"
            }
            Self::ExclhostIsExcl => "place=exclhost counts as excl when the path is chosen",
            Self::UnlimitedChunk => "a chunk that requests no consumable at all fits no bucket",
            Self::EmptyNever => {
                "a job whose chunks match buckets that are too few in all gets `Can Never Run: ` and nothing more"
            }
            Self::SpillSwapped => "prime_spill of the other period's lines counts",
            Self::PreviousPlacement => {
                "a job that became a top job earlier in this cycle leaves the bucket path"
            }
            Self::NoGroupSort => {
                "node_group_sort_key in sched_config is not known: no combined sets, and the usual order of sets"
            }
        }
    }
}

/// The behaviour that the model follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Semantics {
    /// What the real scheduler does.
    #[default]
    Observed,
    /// What the real scheduler does, with the four bugs corrected.
    Fixed,
    /// What the design documents prescribe.
    Design,
}

impl Semantics {
    pub fn from_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// The set of quirks that are on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Quirks(u16);

impl Default for Quirks {
    fn default() -> Self {
        Self::of(Semantics::Observed)
    }
}

impl Quirks {
    pub fn of(semantics: Semantics) -> Self {
        let mut quirks = Self(0);
        for quirk in Quirk::ALL.iter().copied() {
            let on = match semantics {
                Semantics::Observed => true,
                Semantics::Fixed => !Quirk::BUGS.contains(&quirk),
                Semantics::Design => false,
            };
            quirks.set(quirk, on);
        }
        quirks
    }

    /// Whether `quirk` is on.
    pub fn has(self, quirk: Quirk) -> bool {
        self.0 & (1 << quirk as u8) != 0
    }

    /// Turns a quirk on or off.
    pub fn set(&mut self, quirk: Quirk, on: bool) {
        if on {
            self.0 |= 1 << quirk as u8;
        } else {
            self.0 &= !(1 << quirk as u8);
        }
    }

    /// Returns the shortest options of the command line that turn these quirks on and off, such as `--semantics fixed
    /// --quirk spill-swapped=off`; empty for the default.
    pub fn options(self) -> String {
        let differing = |semantics| {
            let usual = Self::of(semantics);
            Quirk::ALL.iter().copied().filter(move |quirk| usual.has(*quirk) != self.has(*quirk))
        };
        let all = [Semantics::Observed, Semantics::Fixed, Semantics::Design];
        let Some(nearest) = all.into_iter().min_by_key(|semantics| differing(*semantics).count()) else {
            return String::new();
        };
        let named = (nearest != Semantics::default()).then(|| format!("--semantics {}", nearest.name()));
        let each = differing(nearest)
            .map(|quirk| format!("--quirk {}={}", quirk.name(), if self.has(quirk) { "on" } else { "off" }));
        named.into_iter().chain(each).collect::<Vec<_>>().join(" ")
    }

    /// Parses options as [`Quirks::options`] returns them; `None` if a word is none of them.
    pub fn from_options(text: &str) -> Option<Self> {
        let mut quirks = Self::default();
        let mut words = text.split_whitespace();
        while let Some(option) = words.next() {
            let value = words.next()?;
            match (option, value.split_once('=')) {
                ("--semantics", None) => quirks = Self::of(Semantics::from_name(value)?),
                ("--quirk", Some((name, state @ ("on" | "off")))) => {
                    quirks.set(Quirk::from_name(name)?, state == "on");
                }
                _ => return None,
            }
        }
        Some(quirks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn semantics_are_sets_of_quirks() {
        assert!(Quirks::of(Semantics::Observed).has(Quirk::SpanWhenFull));
        assert!(!Quirks::of(Semantics::Fixed).has(Quirk::SpanWhenFull));
        assert!(Quirks::of(Semantics::Fixed).has(Quirk::OneSidedMatch));
        assert!(Quirks::of(Semantics::Fixed).has(Quirk::ClassIgnoresBooleans));
        assert!(Quirk::ALL.iter().all(|q| !Quirks::of(Semantics::Design).has(*q)));
    }

    #[test]
    fn options_are_those_of_the_nearest_semantics() {
        let options = |quirks: Quirks, expected: &str| {
            assert_eq!(quirks.options(), expected);
            assert_eq!(Quirks::from_options(expected), Some(quirks));
        };
        options(Quirks::default(), "");
        options(Quirks::of(Semantics::Fixed), "--semantics fixed");
        let mut quirks = Quirks::default();
        quirks.set(Quirk::SpanWhenFull, false);
        options(quirks, "--quirk span-when-full=off");
        let mut quirks = Quirks::of(Semantics::Design);
        quirks.set(Quirk::OneSidedMatch, true);
        options(quirks, "--semantics design --quirk one-sided-match=on");
        for text in ["--semantics", "--semantics old", "--quirk x=on", "--quirk empty-never=1", "fixed"] {
            assert_eq!(Quirks::from_options(text), None, "{text}");
        }
    }

    #[test]
    fn names_are_unique() {
        for q in Quirk::ALL.iter().copied() {
            assert_eq!(Quirk::from_name(q.name()), Some(q));
        }
    }
}
