// SMT-LIB 2.7 (the language of SMT solvers), and what z3 and cvc5 read beyond it.
//
// Commands and terms that the standard names have rules of their own. All else is a `command` of S-expressions, so that
// no solver's own command is an error.

// A keyword of SMT-LIB is a symbol that begins a list: `let` in `(let …)`.
const list = (...members) => seq('(', ...members, ')');

module.exports = grammar({
  name: 'smtlib',

  extras: $ => [/\s/, $.comment],

  word: $ => $.symbol,

  supertypes: $ => [$._expression, $._literal, $._command, $._sort],

  inline: $ => [$._name],

  rules: {
    script: $ => repeat($._command),

    comment: _ => token(seq(';', /[^\r\n]*/)),

    // Commands

    _command: $ => choice(
      $.assert_statement,
      $.check_statement,
      $.scope_statement,
      $.option_statement,
      $.constant_declaration,
      $.function_declaration,
      $.function_definition,
      $.recursive_definitions,
      $.sort_declaration,
      $.sort_definition,
      $.datatype_declaration,
      $.datatypes_declaration,
      $.statement,
    ),

    assert_statement: $ => list(choice('assert', 'assert-soft', 'minimize', 'maximize'), field('value', $._expression), repeat($.attribute)),
    check_statement: $ => list(choice('check-sat', 'get-model', 'exit', 'reset', 'reset-assertions', 'get-unsat-core', 'get-proof', 'get-assertions', 'get-assignment', 'get-unsat-assumptions')),
    scope_statement: $ => list(choice('push', 'pop'), optional($.numeral)),
    option_statement: $ => list(choice('set-logic', 'set-option', 'set-info'), repeat($._datum)),
    statement: $ => list(field('keyword', $.symbol), repeat($._datum)),

    constant_declaration: $ => list('declare-const', field('name', $._name), field('type', $._sort)),
    function_declaration: $ => list('declare-fun', field('name', $._name), field('parameters', $.sort_list), field('type', $._sort)),
    function_definition: $ => list(
      choice('define-fun', 'define-fun-rec', 'define-const'),
      field('name', $._name),
      optional(field('parameters', $.parameters)),
      field('type', $._sort),
      field('body', $._expression),
    ),
    recursive_definitions: $ => list(
      'define-funs-rec',
      $.function_headers,
      $.definition_bodies,
    ),
    function_headers: $ => list(repeat1($.function_header)),
    definition_bodies: $ => list(repeat1($._expression)),
    function_header: $ => list(field('name', $._name), field('parameters', $.parameters), field('type', $._sort)),
    sort_declaration: $ => list('declare-sort', field('name', $._name), optional($.numeral)),
    sort_definition: $ => list('define-sort', field('name', $._name), list(repeat($._name)), field('type', $._sort)),
    datatype_declaration: $ => list('declare-datatype', field('name', $._name), field('body', $.datatype_body)),
    datatypes_declaration: $ => list(
      'declare-datatypes',
      $.sort_arities,
      $.datatype_bodies,
    ),
    sort_arities: $ => list(repeat(choice($._name, $.sort_arity))),
    datatype_bodies: $ => list(repeat(choice($.datatype_body, $.old_datatype_body))),
    sort_arity: $ => list(field('name', $._name), $.numeral),
    datatype_body: $ => choice(
      list(repeat1($.constructor_declaration)),
      list('par', list(repeat1($._name)), list(repeat1($.constructor_declaration))),
    ),
    // As before version 2.6: the name stands with the constructors.
    old_datatype_body: $ => list(field('name', $._name), repeat1(choice($._name, $.constructor_declaration))),
    constructor_declaration: $ => list(field('name', $._name), optional(field('parameters', $.selectors))),
    selectors: $ => repeat1($.selector_declaration),
    selector_declaration: $ => list(field('name', $._name), field('type', $._sort)),

    sort_list: $ => list(repeat($._sort)),
    parameters: $ => list(repeat($.parameter)),
    parameter: $ => list(field('name', $._name), field('type', $._sort)),

    // Sorts

    _sort: $ => choice($.symbol, $.quoted_symbol, $.indexed_name, $.sort_application),
    sort_application: $ => list(field('name', choice($._name, $.indexed_name)), repeat1($._sort)),

    // Terms

    _expression: $ => choice(
      $._literal,
      $.symbol,
      $.quoted_symbol,
      $.indexed_name,
      $.qualified_name,
      $.application_expression,
      $.let_expression,
      $.quantified_expression,
      $.match_expression,
      $.annotated_expression,
    ),

    application_expression: $ => list(
      field('function', choice($._name, $.indexed_name, $.qualified_name)),
      field('arguments', $.arguments),
    ),
    arguments: $ => repeat1($._expression),
    let_expression: $ => list('let', field('bindings', $.bindings), field('body', $._expression)),
    bindings: $ => list(repeat1($.binding)),
    binding: $ => list(field('name', $._name), field('value', $._expression)),
    quantified_expression: $ => list(choice('forall', 'exists', 'lambda', 'choice'), field('parameters', $.parameters), field('body', $._expression)),
    match_expression: $ => list('match', field('value', $._expression), list(repeat1($.match_case))),
    match_case: $ => list(field('pattern', $._pattern), field('body', $._expression)),
    _pattern: $ => choice($._name, $.constructor_pattern),
    constructor_pattern: $ => list(field('function', $._name), repeat1($._name)),
    annotated_expression: $ => list('!', field('value', $._expression), repeat($.attribute)),

    // Names with numbers or other names: `(_ BitVec 8)`, `(as nil (List Int))`.
    indexed_name: $ => list('_', field('name', $._name), repeat1(choice($._name, $._literal))),
    qualified_name: $ => list('as', field('name', choice($._name, $.indexed_name)), field('type', $._sort)),

    // What stands in commands that are not described here

    attribute: $ => prec.right(seq($.keyword, optional(choice($._name, $._literal, $.value_list)))),
    value_list: $ => list(repeat($._datum)),
    _datum: $ => choice($._literal, $._name, $.keyword, $.value_list),

    // Leaves

    _name: $ => choice($.symbol, $.quoted_symbol),
    symbol: _ => /[a-zA-Z+\-/*=%?!.$_~&^<>@][0-9a-zA-Z+\-/*=%?!.$_~&^<>@]*/,
    quoted_symbol: _ => /\|[^|\\]*\|/,
    keyword: _ => /:[0-9a-zA-Z+\-/*=%?!.$_~&^<>@]+/,
    _literal: $ => choice($.numeral, $.decimal, $.hexadecimal, $.binary, $.string),
    numeral: _ => /[0-9]+/,
    decimal: _ => /[0-9]+\.[0-9]+/,
    hexadecimal: _ => /#x[0-9a-fA-F]+/,
    binary: _ => /#b[01]+/,
    string: _ => /"([^"]|"")*"/,
  },
});
