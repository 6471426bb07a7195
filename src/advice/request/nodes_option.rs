//! `-l nodes=`, which the server turns into a select and a place (rule 2.1).

use super::options::SubmitRequest;

/// Why the names of `-l` cannot be combined: each is one of two ways to request nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NodesClash {
    NodesAndSelect,
    NodesAndPlace,
    /// `place` without a select whose chunks it would place.
    PlaceAlone,
}

impl SubmitRequest {
    /// Returns the names and values of `-l`, with the select and place that the server makes of `nodes` (rule 2.1);
    /// a chunk may name one of the hosts instead of a count.
    ///
    /// # Errors
    /// `nodes` beside `select` or `place`, or `place` without `select`.
    pub(super) fn with_select(
        &self,
        is_host: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<(String, String)>, NodesClash> {
        let has = |wanted: &str| self.resources.iter().any(|(name, _)| name == wanted);
        let mut all = self.resources.clone();
        match &self.nodes {
            Some(_) if has("select") => return Err(NodesClash::NodesAndSelect),
            Some(_) if has("place") => return Err(NodesClash::NodesAndPlace),
            None if has("place") && !has("select") => return Err(NodesClash::PlaceAlone),
            Some(nodes) => {
                let (nodes, place) = without_sharing(nodes);
                all.extend(select_of(nodes, is_host).map(|select| ("select".to_owned(), select)));
                all.push(("place".to_owned(), place.to_owned()));
            }
            None => {}
        }
        Ok(all)
    }
}

/// Returns the select that the server makes of `-l nodes=`; `None` if it cannot be read.
pub(super) fn select_of(text: &str, is_host: &dyn Fn(&str) -> bool) -> Option<String> {
    let mut chunks = Vec::new();
    for part in text.split('+') {
        let mut words = part.split(':').peekable();
        let first = *words.peek()?;
        let count: u32 =
            if first.starts_with(|c: char| c.is_ascii_digit()) { words.next()?.parse().ok()? } else { 1 };
        // What the server makes of both `ppn` and `ncpus` is not known.
        if ["ppn=", "ncpus="].iter().all(|name| part.split(':').any(|word| word.starts_with(name))) {
            return None;
        }
        let (mut cpus, mut procs, mut rest) = (1_u32, 1_u32, String::new());
        if let Some(host) = words.next_if(|word| is_host(word)) {
            rest.push_str(&format!(":host={host}"));
        }
        for word in words {
            match word.split_once('=') {
                Some(("ppn", number)) => (cpus, procs) = (number.parse().ok()?, number.parse().ok()?),
                Some(("ncpus", number)) => cpus = number.parse().ok()?,
                Some((name, value)) => rest.push_str(&format!(":{name}={value}")),
                None => rest.push_str(&format!(":{word}=True")),
            }
        }
        chunks.push(format!("{count}:ncpus={cpus}:mpiprocs={procs}{rest}"));
    }
    Some(chunks.join("+"))
}

/// Splits the suffix `#excl` or `#shared` off `nodes`; returns the rest, and the place that the server makes of it. That
/// of `#shared` lacks a letter, so the scheduler cannot read it (rule 2.1).
pub(super) fn without_sharing(nodes: &str) -> (&str, &'static str) {
    let suffixes = [("#excl", "scatter:excl"), ("#shared", "scatter:share")];
    let found = suffixes.iter().find_map(|(suffix, place)| Some((nodes.strip_suffix(suffix)?, *place)));
    found.unwrap_or((nodes, "scatter"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_become_a_select() {
        let mut request = SubmitRequest::default();
        request.resource_list("nodes=2:ppn=x").unwrap_err();
        request.resource_list("nodes=2:ppn=8:fast+1:big").unwrap();
        let made = request.with_select(&|_| false).unwrap();
        assert_eq!(made[0].1, "2:ncpus=8:mpiprocs=8:fast=True+1:ncpus=1:mpiprocs=1:big=True");
        assert_eq!(made[1], ("place".to_owned(), "scatter".to_owned()));
        request.resource_list("nodes=n1:ppn=2+2:big#excl").unwrap();
        let made = request.with_select(&|name| name == "n1").unwrap();
        assert_eq!(made[0].1, "1:ncpus=2:mpiprocs=2:host=n1+2:ncpus=1:mpiprocs=1:big=True");
        assert_eq!(made[1], ("place".to_owned(), "scatter:excl".to_owned()));
        request.resource_list("nodes=1:ppn=2#shared").unwrap();
        let made = request.with_select(&|_| false).unwrap();
        assert_eq!(made[0].1, "1:ncpus=2:mpiprocs=2");
        assert_eq!(made[1], ("place".to_owned(), "scatter:share".to_owned()));
        request.resource_list("nodes=2:ncpus=4").unwrap();
        assert_eq!(request.with_select(&|_| false).unwrap()[0].1, "2:ncpus=4:mpiprocs=1");
        request.resource_list("nodes=1:ppn=2:ncpus=4").unwrap_err();
        request.resource_list("nodes=1#free").unwrap_err();
    }

    #[test]
    fn nodes_stand_beside_neither_select_nor_place_and_place_not_alone() {
        let clash = |texts: &[&str]| {
            let mut request = SubmitRequest::default();
            texts.iter().for_each(|text| request.resource_list(text).unwrap());
            request.with_select(&|_| false).err()
        };
        assert_eq!(clash(&["select=1:ncpus=16", "nodes=2"]), Some(NodesClash::NodesAndSelect));
        assert_eq!(clash(&["nodes=2", "select=1:ncpus=16"]), Some(NodesClash::NodesAndSelect));
        assert_eq!(clash(&["nodes=2,place=scatter"]), Some(NodesClash::NodesAndPlace));
        assert_eq!(clash(&["ncpus=4", "place=excl"]), Some(NodesClash::PlaceAlone));
        assert_eq!(clash(&["select=1:ncpus=4", "place=excl"]), None);
        // The options of the command line take precedence over those of a script.
        let mut request = SubmitRequest::default();
        request.resource_list("nodes=2").unwrap();
        request.options(&["-l", "select=4:ncpus=1", "-l", "place=excl"].map(str::to_owned)).unwrap();
        assert_eq!(request.with_select(&|_| false).unwrap()[0].1, "2:ncpus=1:mpiprocs=1");
    }
}
