//! Environment variables, which override the files.

use qscope_engine::cluster::did_you_mean::nearest;

use super::key::{ConfigValueKind, KEYS};
use super::{Config, ConfigProblem, ConfigSource};

/// Prefix of all variables.
const OURS: &str = "QSCOPE_";
/// Variables of the program that set no key.
const OTHERS: [&str; 3] = ["QSCOPE_ETC", "QSCOPE_LOCAL_POLICY", "QSCOPE_PBS_BIN"];

impl Config {
    /// Sets the values of variables. A name that almost matches one of the program's variables is a problem, as is an
    /// invalid value; an empty value counts as not set.
    pub fn add_environment(&mut self, variables: impl IntoIterator<Item = (String, String)>) {
        let known = || KEYS.iter().filter_map(|key| key.variable);
        for (name, value) in variables {
            let Some(word) = name.strip_prefix(OURS).filter(|_| !value.is_empty()) else { continue };
            if OTHERS.contains(&&*name) {
                continue;
            }
            let key = KEYS.iter().find(|key| key.variable == Some(&name));
            let Some((key, variable)) = key.and_then(|key| Some((key, key.variable?))) else {
                let meant = nearest(word, known().chain(OTHERS).filter_map(|name| name.strip_prefix(OURS)));
                let what =
                    meant.map(|meant| format!("no variable of this program, did you mean `{OURS}{meant}`?"));
                self.problems.extend(what.map(|what| ConfigProblem {
                    key: String::new(),
                    location: name,
                    message: what,
                }));
                continue;
            };
            let value = match (key.takes, &*value) {
                (ConfigValueKind::Flag, "1" | "yes") => "true".to_owned(),
                (ConfigValueKind::Flag, "0" | "no") => "false".to_owned(),
                _ => value,
            };
            if key.takes.allows(&value) {
                self.set(key.name, vec![value], ConfigSource::Environment(variable));
            } else {
                let expected = key.takes.expected().replace(", in quotes", "").replace(" in quotes", "");
                let what = format!("found `{value}`; expected {expected}");
                self.problems.push(ConfigProblem {
                    key: key.name.to_owned(),
                    location: variable.to_owned(),
                    message: what,
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_count_more_than_files_and_are_as_strict() {
        let mut config = Config::default();
        config.add_text("c".as_ref(), "theme = \"mono\"\nascii = false\n");
        let set = [
            ("QSCOPE_THEME", "high-contrast"),
            ("QSCOPE_ASCII", "1"),
            ("QSCOPE_MOUSE", "perhaps"),
            ("QSCOPE_POLL", "soon"),
            ("QSCOPE_COLOR", "maybe"),
            ("QSCOPE_TEME", "mono"),
            ("QSCOPE_WRITE", "1"),
            ("QSCOPE_PUBLISHED", ""),
            ("QSCOPE_ETC", "/etc"),
        ];
        config.add_environment(set.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert_eq!(config.text("theme"), Some("high-contrast"));
        assert_eq!(config.get("theme").unwrap().source.to_string(), "QSCOPE_THEME");
        assert_eq!(config.flag("ascii"), Some(true));
        assert!(config.get("published").is_none());
        let problems: Vec<String> = config.problems.iter().map(ToString::to_string).collect();
        assert_eq!(
            problems,
            [
                "QSCOPE_MOUSE: found `perhaps`; expected true or false",
                "QSCOPE_POLL: found `soon`; expected a time from 0.5s to 60s, such as 5s",
                "QSCOPE_COLOR: found `maybe`; expected one of auto, always, never",
                "QSCOPE_TEME: no variable of this program, did you mean `QSCOPE_THEME`?",
            ]
        );
    }
}
