use super::*;

fn set(text: &str) -> Vec<(String, QmgrOperator, String)> {
    let directive = Directive::parse(text).unwrap();
    let name = |one: &QmgrAssignment<'_>| match one.resource {
        Some(resource) => format!("{}.{resource}", one.name),
        None => one.name.to_owned(),
    };
    directive.assignments.iter().map(|one| (name(one), one.operator, one.value.to_owned())).collect()
}

fn replaced(name: &str, value: &str) -> (String, QmgrOperator, String) {
    (name.to_owned(), QmgrOperator::Replace, value.to_owned())
}

#[test]
fn a_comma_ends_a_value_only_before_an_assignment() {
    assert_eq!(
        set("set queue q max_run = [u:PBS_GENERIC=4],[u:\"ann b\"=8]"),
        [replaced("max_run", "[u:PBS_GENERIC=4],[u:\"ann b\"=8]")]
    );
    assert_eq!(set("set queue q enabled=t,started=t"), [replaced("enabled", "t"), replaced("started", "t")]);
    assert_eq!(
        set("set server node_group_key = \"tier0,tier1\", flatuid = True"),
        [replaced("node_group_key", "tier0,tier1"), replaced("flatuid", "True")]
    );
    assert_eq!(set("set server managers = root@a, ann@b"), [replaced("managers", "root@a, ann@b")]);
}

#[test]
fn operators_with_and_without_blanks() {
    let operators = |text: &str| set(text)[0].1;
    assert_eq!(operators("set queue q acl_users += ann"), QmgrOperator::Add);
    assert_eq!(operators("set queue q acl_users+=ann"), QmgrOperator::Add);
    assert_eq!(operators("set queue q acl_users-=ann"), QmgrOperator::Remove);
    assert_eq!(operators("set queue q acl_users -= ann"), QmgrOperator::Remove);
    assert_eq!(set("s q long resources_max.walltime=72:0:0"), [replaced("resources_max.walltime", "72:0:0")]);
}

#[test]
fn names_of_objects_and_of_attributes() {
    let names = |text: &'static str| Directive::parse(text).unwrap().names;
    assert_eq!(names("set queue a,b@head started = True"), ["a", "b"]);
    assert_eq!(names("set queue a, b started = True"), ["a", "b"]);
    assert_eq!(names("set sched partition = p1"), Vec::<&str>::new());
    assert_eq!(names("set sched big partition = p1"), ["big"]);
    assert_eq!(names("unset server max_run"), Vec::<&str>::new());
    assert_eq!(Directive::parse("unset queue q max_run").unwrap().assignments[0].name, "max_run");
    assert_eq!(names("create node n1 Mom=n1.example,Port=15004"), ["n1"]);
}

#[test]
fn what_is_no_directive_is_named() {
    assert_eq!(
        Directive::parse("frobnicate x").unwrap_err(),
        "found `frobnicate`; expected create, set, unset or delete"
    );
    assert!(Directive::parse("set table x").unwrap_err().contains("expected server, queue"));
    assert!(Directive::parse("set queue q = 4").is_err());
    assert!(!is_directive("set the table") && !is_directive("s n") && is_directive("s s scheduling=true"));
}
