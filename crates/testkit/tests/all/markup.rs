//! Passes for markup, by example: a page, words that must stay in it, and what is left.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::Arc;

use minirepro_engine::Outcome;
use minirepro_testkit::{plan, reduce};

/// Reduces `page` as long as every one of `words` stands in it in this order.
fn check(page: &str, words: &[&str], left: &str) {
    assert_eq!(left_of("html", page, words).0, left);
}

/// Reduces a page as long as its words stand in it in this order; gives what is left, and the
/// number of tests.
fn left_of(language: &str, page: &str, words: &[&str]) -> (String, u64) {
    let language = Arc::new(minirepro_languages::by_name(language).unwrap());
    let oracle = |candidate: &[u8]| {
        let text = String::from_utf8_lossy(candidate);
        let found = words
            .iter()
            .try_fold(&*text, |rest, word| rest.split_once(word).map(|(_, behind)| behind));
        if found.is_some() { Outcome::Fail } else { Outcome::Pass }
    };
    let told = reduce(plan(language, page.as_bytes()), &oracle);
    (String::from_utf8_lossy(&told.result).trim().to_owned(), told.summary.tests)
}

#[test]
fn values_and_comments_are_cut_inside() {
    check(
        "<p class='one two three' id=x>text</p>",
        &["<p", "class='", "tw", "'"],
        "<p class='tw'>",
    );
    check(
        "<p>a</p><!-- some long remark, and more --><b>c</b>",
        &["<!--", "rem", "-->"],
        "<!--rem-->",
    );
}

#[test]
fn styles_and_scripts_are_reduced_by_their_own_grammar() {
    let page = "<style>\n.a > b { color: red; top: 1px }\n@media print { p:hover { left: 0 } }\n\
                </style><script>function f(a, b) { return g(a + b) }\nf(1, 2);</script>";
    check(page, &["<style", ">", "top:"], "<style>\ntop:");
    check(page, &["<script", ">", "g("], "<script> g(");
}

#[test]
fn levels_of_elements_go_at_once() {
    let row = "<tr><td align=left>x<td>y</tr>";
    let page = format!("<table><tr><th>head</tr>{}</table>", row.repeat(40));
    check(&page, &["<table", ">", "<tr", ">", "<tr", ">"], "<table><tr><tr/>");
}

#[test]
fn attributes_hold_style_sheets_scripts_and_pages() {
    let page = "<div class=a><p style='color: red; top: 1px; margin: 0 1px' id=x>text</p></div>";
    check(page, &["<p", " style='", "top: 1px", "'", ">"], "<p style='top: 1px'>");
    let page = "<body onload=\"start(1, 'x'); f(g(a + b), 2); y = 2\"><p>text</p>";
    check(page, &["<body", " onload=\"", "g(", ")", "\"", ">"], "<body onload=\"g()\">");
    let page = "<iframe srcdoc='<div><p>a <b class=q>c</b></p></div>' width=3></iframe>";
    check(page, &["<iframe", " srcdoc='", "<b", ">", "'", ">"], "<iframe srcdoc='<b>'>");
    let page = "<p>x<!--[if IE 6]><div><p class=q>x</p><i>y</i></div><![endif]-->";
    check(page, &["<!--[if IE 6]>", "<i", ">", "<![endif]-->"], "<!--[if IE 6]><i><![endif]-->");
}

#[test]
fn the_failing_declaration_stays_with_the_least_around_it() {
    let page = "<!DOCTYPE html><html><head><title>t</title><style>\n\
        body { margin: 0; font: 12px/1.5 serif }\n\
        @media (min-width: 1px) { .card > p, .card:hover { color: red; float: left; top: 1px } }\n\
        </style></head><body onload='init(1)'><div class='card big' id=c1><p>one <b>two</b></p></div>\n\
        <script>function init(n) { var c = document.getElementById('c1'); c.style.top = n + 'px'; }\n\
        </script></body></html>";
    check(page, &["<style", ">", "float:"], "<style>\nfloat:");
    check(page, &["<script", ">", "c.style.top = "], "<script> c.style.top = 0");
}

#[test]
fn media_queries_templates_and_import_maps_are_reduced_by_their_grammar() {
    let page =
        "<link rel=stylesheet media='screen and (min-width: 3em) and (color), print' href=a>";
    check(
        page,
        &["<link", " media='", "(min-width: 3em)", "'", ">"],
        "<link media='(min-width: 3em)'>",
    );
    let page = "<script type='text/template'><div><p>a <b class=q>c</b></p></div></script><p>x</p>";
    check(
        page,
        &["<script", " type='text/template'", ">", "<b", ">", "</b>", "</script>"],
        "<script type='text/template'> <b></b></script>",
    );
    let page = "<script type=importmap>{\"imports\": {\"a\": \"b\", \"c\": \"d\"}, \"x\": [1, 2]}</script>";
    check(
        page,
        &["<script", " type=importmap", ">", "{", "\"c\"", "}", "</script>"],
        "<script type=importmap> { \"c\"}</script>",
    );
    let page = "<template><tr><td class=q>x<i>y</i></td></tr></template><p>x</p>";
    check(page, &["<template", ">", "<td", ">", "y", "</template>"], "<template><td>y</template>");
}

#[test]
fn coded_texts_are_reduced_in_their_code() {
    let page =
        "<p onclick=\"start(&quot;x&quot;); f(&quot;a&quot;, g(&quot;b&quot;))&#59; end()\">x</p>";
    check(
        page,
        &["<p", " onclick=\"", "f(&quot;a&quot;", "\"", ">"],
        "<p onclick=\"f(&quot;a&quot;)\">",
    );
    let page = "<img src='data:image/svg+xml,%3Csvg%20width=%221%22%3E%3Cg%3E%3Cpath%20d=%22M0%200%22/%3E%3C/g%3E%3C/svg%3E'>";
    check(
        page,
        &["<img", " src='data:image/svg+xml,", "%3Cpath", "%3E", "'", ">"],
        "<img src='data:image/svg+xml,%3Cpath/%3E'>",
    );
    let page = "<iframe srcdoc=\"&lt;div>&lt;p class=&quot;q&quot;>a&lt;/p>&lt;b>c&lt;/b>&lt;/div>\"></iframe>";
    check(page, &["<iframe", " srcdoc=\"", "&lt;b>", "\"", ">"], "<iframe srcdoc=\"&lt;b>\">");
}

#[test]
fn broken_tags_are_kept_apart_by_a_blank() {
    let language = Arc::new(minirepro_languages::by_name("html").unwrap());
    let oracle = |candidate: &[u8]| {
        let text = String::from_utf8_lossy(candidate);
        let fails = ["<svg><q", "<svg <q"].iter().any(|start| text.contains(start));
        if fails { Outcome::Fail } else { Outcome::Pass }
    };
    let told = reduce(plan(language, b"<div><svg><q>a</q><p>b</p></svg></div>"), &oracle);
    assert_eq!(String::from_utf8_lossy(&told.result).trim(), "<svg><q>");
}

#[test]
fn a_page_for_a_browser_is_well_formed_and_takes_fewer_tests() {
    let page = "<style>.a { color: red; top: 1px } p { left: 0 }</style>\
                <div class=a><section><p id=q>one two</p><p>three</p></section></div>\
                <script>f(1); q.style.top = '1px'; g(2)</script>";
    let words =
        ["<style>", "top:", "}", "</style>", "<p", " id=", ">", "<script>", "q.style.top", "="];
    let (_, of_html) = left_of("html", page, &words);
    let (left, of_page) = left_of("page", page, &words);
    let errors = |text: &str| {
        let language = minirepro_languages::by_name("page").unwrap();
        language.reader.parse_errors(text.as_bytes()).unwrap().injected.len()
    };
    assert_eq!(errors(&left), 0, "{left}");
    assert_eq!(errors("<style>a { top: 0</style><script>f(</script>"), 2);
    assert!(of_page < of_html, "{of_page} and {of_html} tests: {left}");
}
