//! The built-in manual: one page per topic, printed by `qscope help TOPIC` and part of this documentation.

/// One page of the manual.
#[derive(Clone, Copy, Debug)]
pub struct ManualPage {
    /// The word for `qscope help`.
    pub name: &'static str,
    /// What it is about, in a line.
    pub summary: &'static str,
    /// The page, in Markdown.
    pub text: &'static str,
}

/// Declares the topics: for each a page of the documentation and an entry of [`TOPICS`].
macro_rules! topics {
    ($($module:ident $name:literal $summary:literal;)+) => {
        $(#[doc = include_str!(concat!("manual/", $name, ".md"))] pub mod $module {})+

        /// Every topic, in the order in which they are listed.
        pub const TOPICS: &[ManualPage] = &[
            $(ManualPage { name: $name, summary: $summary, text: include_str!(concat!("manual/", $name, ".md")) },)+
        ];
    };
}

topics! {
    console "console" "The console: screen, stepping, alerts, looks";
    tour "tour" "Ten keys in two minutes";
    why "why" "Why a job waits, and what would start it";
    advice "advice" "The order of the queue, trial requests, fits";
    lint_rules "lint-rules" "Settings that do not do what they state";
    keys "keys" "Keys of the console";
    filters "filters" "Filters and breakpoints";
    what_if "what-if" "Run the cycle with other settings";
    head_node "head-node" "Use on a head node, collecting";
    scale "scale" "Size and speed";
    site "site" "For the site: qwhy, metrics, reports, bundles";
    files "files" "Files that are read";
    attributes "attributes" "Attributes and options that are read, and set";
    rules "rules" "Which rule stopped a job, by its id";
    json "json" "Output for programs, exit codes";
    semantics "semantics" "Which behaviour is modelled";
    sets "sets" "Placement sets as once designed, fragmentation";
    policies "policies" "Node allocation policies";
    capacity "capacity" "How many nodes would start the queue in time";
    farm "farm" "Packing policies on a farm";
    simulate "simulate" "Simulated days, and when a job starts";
    recording "recording" "Recordings, replay, the history of a job";
}

/// The page of that name.
pub fn topic(name: &str) -> Option<&'static ManualPage> {
    TOPICS.iter().find(|topic| topic.name == name)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use qscope_console::views::setting_fields;
    use qscope_engine::cluster::Catalogue;
    use qscope_session::query::{FieldKind, QueryField};
    use qscope_session::records::{
        bucket_fields, event_fields, job_fields, node_fields, set_fields, share_fields,
    };

    use super::*;

    /// The page of the keys, from the table that the keymap is made of.
    fn keys() -> String {
        use qscope_console::action::{ActionGroup, TABLE};
        let mut page = String::from(
            "# Keys of the console\n\n\
             This page is made from the table of actions. `?` in the console lists the keys that work at the \
             current place. `[keys]` in config.toml takes the names (`qscope help console`).\n",
        );
        // Stepping is what most look for; what is only for planning views comes last.
        let (planning, everywhere): (Vec<_>, Vec<_>) =
            ActionGroup::ALL.iter().copied().partition(|group| *group == ActionGroup::Trial);
        for group in everywhere.into_iter().chain(planning) {
            page.push_str(&format!("\n## {}\n\n| keys | does | name |\n|---|---|---|\n", group.title()));
            for entry in TABLE.iter().filter(|entry| entry.group == group) {
                let keys = entry.keys.iter().map(|(_, key)| format!("`{}`", key.replace('|', "\\|")));
                let keys = qscope_engine::cluster::deduplicated(keys);
                let (doc, name) = (entry.doc.trim_end_matches('.'), entry.name);
                page.push_str(&format!("| {} | {doc} | {name} |\n", keys.join(" ")));
            }
        }
        page
    }

    /// The page of the attributes, from the tables that the readers use.
    fn attributes() -> String {
        let mut page = String::from(
            "# Attributes and options\n\n\
             This page is made from the tables by which dumps are read. Those marked `=` can be set with `--set` and in \
             the console, as `sched_config` options by their name alone, others as `queue.workq.Priority=100`.\n",
        );
        for (object, rows) in qscope_source::attributes::described() {
            page.push_str(&format!("\n## {object}\n\n| name | set | value | meaning |\n|---|---|---|---|\n"));
            for row in rows {
                let set = if row.settable { "=" } else { "" };
                let unit = row.unit.replace('|', "\\|");
                page.push_str(&format!("| {} | {set} | {unit} | {} |\n", row.name, row.doc));
            }
        }
        page
    }

    /// The page of the tour, from the steps that the console leads through.
    fn tour() -> String {
        use qscope_console::action::Context;
        use qscope_console::keymap::Keymap;
        use qscope_console::tour::{BEGINNING, TOUR};
        let mut page = format!(
            "# Ten keys in two minutes\n\n\
             `qscope tour` opens the console on the built-in sample and names the next key in its last line; it goes on \
             when that key is pressed. Any other key works too. This page is made from the same steps.\n\n\
             At the beginning: {BEGINNING}.\n\n| press | to | and see |\n|---|---|---|\n"
        );
        let keymap = Keymap::default();
        for step in TOUR {
            let key = Context::all().find_map(|context| keymap.keys(step.action, context).next());
            let key = key.map(|key| key.to_string()).unwrap_or_default();
            page.push_str(&format!("| `{key}` | {} | {} |\n", step.invites, step.seen));
        }
        page.push_str(
            "\n`?` lists the keys that work at the current place, `:` takes commands, `q` leaves.\n",
        );
        page
    }

    /// The fields of each table that filters take, from the columns of its rows.
    fn fields() -> String {
        let catalogue = Catalogue::default();
        let tables = [
            ("Jobs", "the queue, jobs, breakpoints, qscope cycle --where", job_fields(&catalogue)),
            ("Nodes", "vnodes", node_fields(&catalogue)),
            ("Placement sets", "pools", set_fields(&catalogue)),
            ("Buckets", "node buckets", bucket_fields(&catalogue)),
            ("Events", "the calendar", event_fields()),
            ("Entities", "the fair share tree", share_fields()),
            ("Settings", "the settings in effect", setting_fields()),
        ];
        let mut page = String::new();
        for (title, lists, fields) in tables {
            page.push_str(&format!("\n### {title}: {lists}\n\n| field | takes | meaning |\n|---|---|---|\n"));
            let of_resource = |field: &&QueryField| resource_of(field, &catalogue).is_some();
            for field in fields.all().iter().filter(|field| !of_resource(field)) {
                page.push_str(&field_row(field, &field.name, &field.doc));
            }
            // One row stands for those of all resources.
            let of_ncpus = |field: &&QueryField| resource_of(field, &catalogue) == Some("ncpus");
            for field in fields.all().iter().filter(of_ncpus) {
                let doc = format!("{}; so of every resource of the cluster", field.doc);
                page.push_str(&field_row(field, &field.name, &doc));
            }
        }
        page
    }

    /// The resource that a field has been made for.
    fn resource_of<'f>(field: &'f QueryField, catalogue: &Catalogue) -> Option<&'f str> {
        let name = field.name.split('.').next()?;
        (catalogue.id(name).is_some() && field.doc.ends_with(&format!(" of {name}"))).then_some(name)
    }

    fn field_row(field: &QueryField, name: &str, doc: &str) -> String {
        let takes = match field.kind {
            _ if !field.values.is_empty() => field.values.join(", "),
            FieldKind::Text => "text".to_owned(),
            FieldKind::Number => "number".to_owned(),
            FieldKind::Size => "size, `16gb`".to_owned(),
            FieldKind::Span => "duration, `2h`".to_owned(),
            FieldKind::Moment => "moment, `+2h`".to_owned(),
            FieldKind::Flag => "yes, no".to_owned(),
        };
        format!("| {name} | {takes} | {doc} |\n")
    }

    #[test]
    fn the_page_of_the_filters_lists_the_columns_of_every_table() {
        const BEFORE: &str = "\n### ";
        let text = topic("filters").unwrap().text;
        let head = text.split_once(BEFORE).map_or(text, |(head, _)| head);
        assert_page("filters.md", &format!("{head}{}", fields()));
    }

    fn assert_page(name: &str, made: &str) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/manual").join(name);
        if std::env::var_os("QSCOPE_WRITE").is_some() {
            std::fs::write(&path, made).unwrap();
        }
        let have = std::fs::read_to_string(&path).unwrap();
        assert_eq!(have, made, "src/manual/{name} differs from its table; QSCOPE_WRITE=1 rewrites it");
    }

    #[test]
    fn the_page_of_the_keys_is_the_table_of_actions() {
        assert_page("keys.md", &keys());
    }

    #[test]
    fn the_page_of_the_tour_is_its_steps() {
        assert_page("tour.md", &tour());
    }

    #[test]
    fn the_page_of_the_attributes_is_their_tables() {
        assert_page("attributes.md", &attributes());
    }

    #[test]
    fn the_page_of_the_rules_is_their_table() {
        assert_page("lint-rules.md", &qscope_advice::lint::page());
    }

    /// The page of the rules that decide about a job, from the tables of their ids.
    fn rules() -> String {
        use qscope_engine::cycle::StopRule;
        use qscope_engine::placement::PathRule;
        let mut page = String::from(
            "# Rules that decide about a job\n\n\
             Every decision of a cycle has the id of a rule: the column and filter field `rule` (`:columns +rule`, \
             `/rule=limits-check`), below the answer of Why, and at the stages and nodes inside a decision. A job that does \
             not start has the rule that stopped it, one that starts the rule that chose its path. The column and filter \
             field `path_rule` is the latter for every job.\n\n\
             In the JSON of `cycle` and `why`, `decided_by_rule` is the field `rule`, and `path_rule_id` the field \
             `path_rule`; `stopped_by_rule` is the rule that stopped the job, null if it starts, `rule` is `path_rule_id` \
             again, and `path_rule` has the rule of the path in words. `rule` of a stage in the JSON of `why` is that of the \
             stage. This page is made from the tables by which jobs are decided.\n\n\
             ## What stops a job, in the order of a cycle\n\n| rule | stops a job because |\n|---|---|\n",
        );
        for rule in StopRule::ALL {
            page.push_str(&format!("| {} | {} |\n", rule.id(), rule.sentence()));
        }
        page.push_str("\n## What chooses the path\n\n| rule | because |\n|---|---|\n");
        for rule in PathRule::ALL {
            page.push_str(&format!("| {} | {} |\n", rule.id(), rule.sentence()));
        }
        page
    }

    #[test]
    fn the_page_of_the_rules_that_decide_is_their_tables() {
        assert_page("rules.md", &rules());
    }

    #[test]
    fn every_page_begins_with_its_heading() {
        for topic in TOPICS {
            assert!(topic.text.starts_with("# "), "{}", topic.name);
            assert!(topic.summary.len() <= 50, "{}", topic.name);
        }
    }
}
