//! The worked examples of the papers, as they stand there.

use crate::common::{on_text, reduce, run, text_of};
use minirepro_search::{Configuration, Dd, Ddmin, Fragments, Outcome, Recursive, Search};

const SELECT: &str = r#"<SELECT NAME="priority" MULTIPLE SIZE=7>"#;

/// Returns the printing bug of *Why Programs Fail*: any `<SELECT` tag.
fn has_select(text: &str) -> bool {
    text.find("<SELECT").is_some_and(|at| text[at..].contains('>'))
}

#[test]
fn the_books_ddmin_simplifies_select_in_48_tests_of_which_40_differ() {
    let oracle = on_text(SELECT, has_select);
    let mut search = Ddmin::of_the_book(SELECT.len());
    let told = run(&mut search, &oracle);
    assert_eq!(text_of(SELECT, search.kept()), "<SELECT>");
    assert_eq!((told.len(), different(&told)), (48, 40));
    let lengths: Vec<_> = told.iter().map(|(question, _)| question.len()).collect();
    // Example 5.8, the column of lengths.
    let book = [
        20, 20, 30, 30, 20, 20, 10, 10, 15, 15, 15, 10, 10, 10, 12, 13, 12, 13, 10, 10, 11, 10, 7,
        8, 7, 8, 9, 9, 9, 9, 8, 9, 8, 7, 7, 7, 7, 7, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7,
    ];
    assert_eq!(lengths, book);
}

fn different(told: &[(Configuration, Outcome)]) -> usize {
    told.iter().map(|(question, _)| question).collect::<std::collections::HashSet<_>>().len()
}

#[test]
fn dd_isolates_one_character_of_select_in_at_most_seven_tests() {
    let oracle = on_text(SELECT, has_select);
    let mut search = Dd::new(SELECT.len());
    let told = run(&mut search, &oracle);
    assert!(told.len() <= 7, "{}", told.len());
    assert_eq!(search.difference().len(), 1);
    assert_eq!(oracle(search.passing()), Outcome::Pass);
    assert_eq!(oracle(search.kept()), Outcome::Fail);
}

#[test]
fn geegg_of_a_debugging_exam_is_ggg_after_20_tests() {
    let text = "a-debugging-exam";
    let count = |text: &str, c| text.chars().filter(|&d| d == c).count();
    let oracle = on_text(text, |t| count(t, 'g') >= 3 || count(t, 'e') >= 2);
    let (kept, tests) = reduce(Box::new(Ddmin::of_the_book(text.len())), &oracle);
    assert_eq!((text_of(text, &kept).as_str(), tests), ("ggg", 20));
}

#[test]
fn ddmin_finds_changes_1_7_8_with_19_different_tests() {
    let needed = Configuration::of(8, [0, 6, 7]);
    let oracle = |kept: &Configuration| match (needed.is_subset(kept), needed.minus(kept).len()) {
        (true, _) => Outcome::Fail,
        (false, 3) => Outcome::Pass,
        (false, _) => Outcome::Unresolved,
    };
    let mut search = Ddmin::new(8);
    let mut parts = Vec::new();
    let mut steps = Vec::new();
    while let Some(question) = search.ask() {
        let is_part = search.granularity() == 2 || question.len() * 2 <= search.kept().len();
        let again = is_part && parts.contains(&question);
        if is_part {
            parts.push(question.clone());
        }
        steps.push(again);
        search.tell(oracle(&question));
    }
    assert_eq!(*search.kept(), needed);
    let again: Vec<_> = (1..).zip(&steps).filter(|(_, again)| **again).map(|(i, _)| i).collect();
    assert_eq!((steps.len(), again), (27, vec![9, 10, 11, 14, 15, 22, 23, 24]));

    // The paper counts these 27 - 8 = 19. The complements of steps 12 and 25 were tested as parts
    // in steps 2 and 6, so a memory of answers saves two more.
    let told = run(&mut Ddmin::new(8), &oracle);
    assert_eq!((told.len(), different(&told)), (27, 17));
}

#[test]
fn the_2424_quiz_goes_through_the_printed_granularities() {
    // The quiz leaves out the last part first, so characters are numbered from the end.
    let text = |kept: &Configuration| -> String {
        "2424".chars().enumerate().filter(|&(i, _)| kept.contains(3 - i)).map(|(_, c)| c).collect()
    };
    let oracle = |kept: &Configuration| {
        if text(kept).contains("42") { Outcome::Fail } else { Outcome::Pass }
    };
    let mut search = Ddmin::new(4);
    let mut rows: Vec<(usize, String, Vec<String>)> = Vec::new();
    while let Some(question) = search.ask() {
        let row = (search.granularity(), text(search.kept()));
        if rows.last().is_none_or(|(n, all, _)| (*n, all) != (row.0, &row.1)) {
            rows.push((row.0, row.1, vec![]));
        }
        let asked = &mut rows.last_mut().unwrap().2;
        if !asked.contains(&text(&question)) {
            asked.push(text(&question));
        }
        search.tell(oracle(&question));
    }
    let shown: Vec<_> =
        rows.iter().map(|(n, all, asked)| format!("{n} {all}: {}", asked.join(" "))).collect();
    // The quiz prints all complements of the second row; the first of them already fails.
    let quiz = ["2 2424: 24", "4 2424: 4 2 242", "3 242: 2 4 24 22 42", "2 42: 2 4"];
    assert_eq!(shown, quiz);
    assert_eq!(text(search.kept()), "42");
}

#[test]
fn the_babab_quiz_has_a_minimum_of_one_b() {
    let text = "babab";
    let odd = |text: &str, c| text.chars().filter(|&d| d == c).count() % 2 == 1;
    let oracle = on_text(text, |t| odd(t, 'b') && !odd(t, 'a'));
    let searches: [Box<dyn Search>; 3] = [
        Box::new(Ddmin::new(5)),
        Box::new(Ddmin::of_the_book(5)),
        minirepro_search::minimizer(minirepro_search::Algorithm::Default, &[1; 5]),
    ];
    for search in searches {
        let (kept, _) = reduce(search, &oracle);
        assert!(crate::common::is_1_minimal(&kept, &oracle));
        let result = text_of(text, &kept);
        // All five are 1-minimal as well: taking one away changes one of the two parities.
        assert!(["babab", "b", "aab", "aba", "baa", "bbb"].contains(&result.as_str()), "{result}");
    }
    let (kept, _) = reduce(Box::new(Ddmin::new(5)), &oracle);
    assert_eq!(text_of(text, &kept), "b");
    // 1-minimal but no local minimum: from `aba`, only taking two away fails again.
    let aba = Configuration::of(5, [1, 2, 3]);
    assert!(oracle(&aba) == Outcome::Fail && crate::common::is_1_minimal(&aba, &oracle));
}

/// Takes out option i for circumstance i. The failure shows unless a preventing option is given.
fn options_oracle(preventing: Vec<usize>) -> impl Fn(&Configuration) -> Outcome {
    move |taken_out| {
        let prevented = preventing.iter().any(|&option| !taken_out.contains(option));
        if prevented { Outcome::Pass } else { Outcome::Fail }
    }
}

#[test]
fn of_31_gcc_options_each_preventing_one_is_found_in_about_seven_tests() {
    // Table 1 of the paper, by rows: -fforce-addr is the fifth, -ffast-math the twelfth.
    let fforce_addr = 4;
    let ffast_math = 11;
    let mut search = Dd::new(31);
    let tests = run(&mut search, &options_oracle(vec![fforce_addr, ffast_math])).len();
    let first = search.difference().iter().next().unwrap();
    assert_eq!(search.difference().len(), 1);
    assert!([fforce_addr, ffast_math].contains(&first));
    assert!((5..=7).contains(&tests), "{tests}");

    // Without the first one, numbers above it move down.
    let other = if first == fforce_addr { ffast_math - 1 } else { fforce_addr };
    let mut search = Dd::new(30);
    let tests = run(&mut search, &options_oracle(vec![other])).len();
    assert_eq!(search.difference().iter().collect::<Vec<_>>(), [other]);
    assert!((5..=7).contains(&tests), "{tests}");

    // Of the 29 left, none prevents the failure: giving them all, that is, taking none out, fails.
    assert_eq!(options_oracle(vec![])(&Configuration::none(29)), Outcome::Fail);
}

#[test]
fn the_tree_of_figure_5_5_takes_two_real_tests() {
    // SELECT, NAME="priority", MULTIPLE, SIZE="7": as in the figure, an attribute's value stays
    // with its name.
    let feasible = |kept: &Configuration| kept.is_empty() || kept.contains(0);
    let mut search = Ddmin::of_the_book(4);
    let mut asked = Vec::new();
    while let Some(question) = search.ask() {
        asked.push((feasible(&question), question.iter().collect::<Vec<_>>()));
        // Any SELECT tag makes the program fail.
        search.tell(if feasible(&question) { Outcome::Fail } else { Outcome::Unresolved });
    }
    let figure = [(false, vec![2, 3]), (true, vec![0, 1]), (false, vec![1]), (true, vec![0])];
    assert_eq!(asked, figure);
}

#[test]
fn the_notebooks_fragments_give_its_trace() {
    let oracle = on_text(SELECT, has_select);
    let mut search = Fragments::new(SELECT.len());
    let trace: Vec<_> = run(&mut search, &oracle)
        .iter()
        .map(|(q, outcome)| {
            format!("{} {}", if *outcome == Outcome::Fail { '+' } else { '.' }, text_of(SELECT, q))
        })
        .collect();
    assert_eq!(trace, NOTEBOOK);
    assert_eq!(text_of(SELECT, search.kept()), "<SELECT>");
}

/// The seed's text has lost the two `+` lines of fragments of ten; all others are as printed.
const NOTEBOOK: [&str; 27] = [
    r#". ty" MULTIPLE SIZE=7>"#,
    r#". <SELECT NAME="priori"#,
    r#". ME="priority" MULTIPLE SIZE=7>"#,
    r#"+ <SELECT NAty" MULTIPLE SIZE=7>"#,
    r#"+ <SELECT NALE SIZE=7>"#,
    r#". <SELECT NA"#,
    r#". CT NALE SIZE=7>"#,
    r#". <SELELE SIZE=7>"#,
    r#"+ <SELECT NAZE=7>"#,
    r#". <SELECT NA"#,
    r#". ELECT NAZE=7>"#,
    r#". <SECT NAZE=7>"#,
    r#". <SELT NAZE=7>"#,
    r#". <SELECNAZE=7>"#,
    r#"+ <SELECT ZE=7>"#,
    r#"+ <SELECT =7>"#,
    r#"+ <SELECT >"#,
    r#". <SELECT "#,
    r#". SELECT >"#,
    r#". <ELECT >"#,
    r#". <SLECT >"#,
    r#". <SEECT >"#,
    r#". <SELCT >"#,
    r#". <SELET >"#,
    r#". <SELEC >"#,
    r#"+ <SELECT>"#,
    r#". <SELECT"#,
];

#[test]
fn the_recursive_variant_simplifies_select() {
    let oracle = on_text(SELECT, has_select);
    let (kept, _) = reduce(Box::new(Recursive::new(SELECT.len())), &oracle);
    assert_eq!(text_of(SELECT, &kept), "<SELECT>");
}
