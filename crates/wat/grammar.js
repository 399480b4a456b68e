// The text format of WebAssembly 3.0, as far as it tells one part of a module from another: which instructions there are,
// and what they take, is left to those who check modules.
//
// Fields of a module and folded instructions (`(i32.add (local.get $a) (i32.const 1))`) have rules of their own. All else,
// such as the commands of test scripts, is a `list`.

const list = (...members) => seq('(', ...members, ')');
const named = $ => optional(field('name', $.identifier));

module.exports = grammar({
  name: 'wat',

  extras: $ => [/\s/, $.comment],

  word: $ => $.keyword,

  supertypes: $ => [$._field, $._instruction, $._type, $._item],

  inline: $ => [$._index, $._local_name, $._label_name],

  // Whether a list goes on, only the word after the next parenthesis tells.
  conflicts: $ => [[$.parameters], [$.results], [$.immediates], [$.element_segment, $.elements]],

  rules: {
    text: $ => repeat(choice($.module, $._field)),

    comment: _ => token(choice(seq(';;', /[^\r\n]*/), seq('(;', /([^;]|;+[^;)])*/, /;+\)/))),

    module: $ => list('module', named($), repeat($._field)),

    // Fields of modules

    _field: $ => choice(
      $.type_definition,
      $.recursive_types,
      $.import_declaration,
      $.function_definition,
      $.table_definition,
      $.memory_definition,
      $.global_definition,
      $.tag_definition,
      $.export_declaration,
      $.start_declaration,
      $.element_segment,
      $.data_segment,
      $.annotation,
      $.list,
    ),

    type_definition: $ => list('type', named($), field('type', $._type)),
    recursive_types: $ => list('rec', repeat($.type_definition)),

    import_declaration: $ => list('import', field('module', $.string), field('field', $.string), field('value', $._imported)),
    _imported: $ => choice($.function_import, $.table_import, $.memory_import, $.global_import, $.tag_import, $.list),
    function_import: $ => list('func', named($), optional($.type_use), optional(field('parameters', $.parameters)), optional($.results)),
    table_import: $ => list('table', named($), $._limits, field('type', $._type)),
    memory_import: $ => list('memory', named($), $._limits),
    global_import: $ => list('global', named($), field('type', $._global_type)),
    tag_import: $ => list('tag', named($), optional($.type_use), optional(field('parameters', $.parameters))),

    function_definition: $ => list(
      'func',
      named($),
      repeat(choice($.inline_export, $.inline_import, $.annotation)),
      optional($.type_use),
      optional(field('parameters', $.parameters)),
      optional($.results),
      repeat($.local),
      optional(field('body', $.body)),
    ),
    table_definition: $ => list(
      'table',
      named($),
      repeat(choice($.inline_export, $.inline_import)),
      choice(seq($._limits, field('type', $._type), optional(field('value', $._instruction))), seq(field('type', $._type), $.list)),
    ),
    memory_definition: $ => list('memory', named($), repeat(choice($.inline_export, $.inline_import)), choice($._limits, $.inline_data)),
    global_definition: $ => list('global', named($), repeat(choice($.inline_export, $.inline_import)), field('type', $._global_type), optional(field('value', $.value))),
    value: $ => repeat1($._instruction),
    tag_definition: $ => list('tag', named($), repeat(choice($.inline_export, $.inline_import)), optional($.type_use), optional(field('parameters', $.parameters))),
    export_declaration: $ => list('export', $.string, list(choice('func', 'table', 'memory', 'global', 'tag'), field('name', $._index))),
    start_declaration: $ => list('start', field('name', $._index)),
    inline_data: $ => list('data', repeat($.string)),

    element_segment: $ => list(
      'elem',
      named($),
      optional('declare'),
      optional($.table_use),
      repeat(choice($.offset, $._folded, 'func', field('type', $._type))),
      optional($.elements),
    ),
    elements: $ => repeat1(choice($._index, $.item)),
    item: $ => list('item', $.value),
    data_segment: $ => list('data', named($), optional($.memory_use), optional(field('offset', choice($.offset, $._folded))), optional($.strings)),
    strings: $ => repeat1($.string),
    table_use: $ => list('table', $._index),
    memory_use: $ => list('memory', $._index),
    offset: $ => list('offset', $.value),

    inline_export: $ => list('export', $.string),
    inline_import: $ => list('import', $.string, $.string),
    annotation: $ => seq(/\(@[^\s()"]+/, repeat($._item), ')'),

    // Types

    type_use: $ => list('type', $._index),
    parameters: $ => repeat1($.parameter),
    parameter: $ => list('param', optional(field('name', $._local_name)), repeat(field('type', $._type))),
    results: $ => repeat1($.result),
    result: $ => list('result', repeat($._type)),
    local: $ => list('local', optional(field('name', $._local_name)), repeat(field('type', $._type))),

    _global_type: $ => choice($._type, $.mutable_type),
    mutable_type: $ => list('mut', $._type),
    _limits: $ => seq(optional($.keyword), $.number, optional($.number), optional('shared')),

    _type: $ => choice($.value_type, $.reference_type, $.function_type, $.structure_type, $.array_type, $.subtype),
    value_type: _ => choice(
      'i32', 'i64', 'f32', 'f64', 'v128', 'i8', 'i16', 'funcref', 'externref', 'anyref', 'eqref', 'i31ref', 'structref', 'arrayref',
      'nullref', 'nullfuncref', 'nullexternref', 'exnref',
    ),
    reference_type: $ => list('ref', optional('null'), choice($._index, $.keyword)),
    function_type: $ => list('func', optional(field('parameters', $.parameters)), optional($.results)),
    structure_type: $ => list('struct', repeat($.member)),
    member: $ => list('field', optional(field('name', $.identifier)), repeat(field('type', $._global_type))),
    array_type: $ => list('array', field('type', $._global_type)),
    subtype: $ => list('sub', optional('final'), repeat($._index), $._type),

    // Instructions

    body: $ => repeat1($._instruction),

    _instruction: $ => choice($._folded, $.instruction),
    _folded: $ => choice(
      $.expression,
      $.constant_expression,
      $.local_expression,
      $.branch_expression,
      $.call_expression,
      $.indirect_call,
      $.block_expression,
      $.if_expression,
    ),

    expression: $ => list(field('operator', $.keyword), optional($.immediates), optional(field('arguments', $.arguments))),
    constant_expression: $ => list(choice('i32.const', 'i64.const', 'f32.const', 'f64.const'), field('value', $.number)),
    local_expression: $ => list(
      choice('local.get', 'local.set', 'local.tee'),
      field('name', choice($._local_name, $.number)),
      optional(field('arguments', $.arguments)),
    ),
    branch_expression: $ => list(choice('br', 'br_if', 'br_table'), $.labels, optional(field('arguments', $.arguments))),
    labels: $ => repeat1(choice($._label_name, $.number)),
    call_expression: $ => list('call', field('function', $._index), optional(field('arguments', $.arguments))),
    indirect_call: $ => list('call_indirect', optional($._index), optional($.type_use), optional($.parameters), optional($.results), optional(field('arguments', $.arguments))),
    arguments: $ => repeat1($._instruction),
    block_expression: $ => list(choice('block', 'loop'), optional(field('name', $._label_name)), optional($.type_use), optional($.parameters), optional($.results), optional(field('body', $.body))),
    if_expression: $ => list(
      'if',
      optional(field('name', $._label_name)),
      optional($.type_use),
      optional($.parameters),
      optional($.results),
      repeat(field('condition', $._instruction)),
      $.then_branch,
      optional($.else_branch),
    ),
    then_branch: $ => list('then', optional(field('body', $.body))),
    else_branch: $ => list('else', optional(field('body', $.body))),

    // Not folded: what it takes stands before it.
    instruction: $ => prec.right(seq(
      field('operator', choice($.keyword, $._operator)),
      optional($.immediates),
    )),
    _operator: _ => choice(
      'call', 'call_indirect', 'block', 'loop', 'if', 'then', 'else', 'br', 'br_if', 'br_table', 'i32.const', 'i64.const', 'f32.const',
      'f64.const', 'local.get', 'local.set', 'local.tee',
    ),
    immediates: $ => repeat1(choice($.identifier, $.number, $.string, $.memory_argument, $.value_type, $.reference_type, $.type_use, $.result, $.catch_clause)),
    catch_clause: $ => list(choice('catch', 'catch_ref', 'catch_all', 'catch_all_ref'), repeat1($._index)),

    // What is not described here

    list: $ => list($.keyword, repeat($._item)),
    _item: $ => choice($.keyword, $.identifier, $.number, $.string, $.memory_argument, $.value_type, $.parenthesis),
    parenthesis: $ => list(repeat($._item)),

    // Leaves

    _local_name: $ => alias($.identifier, $.local_name),
    _label_name: $ => alias($.identifier, $.label_name),
    _index: $ => choice($.identifier, $.number),
    identifier: _ => choice(/\$[0-9A-Za-z!#$%&'*+\-./:<=>?@\\^_`|~]+/, /\$"([^"\\]|\\.)*"/),
    number: _ => token(prec(1, /[+-]?([0-9][0-9A-Za-z_.]*([eEpP][+-][0-9_]+)?|inf|nan(:[0-9A-Za-z_:]+)?)/)),
    memory_argument: _ => token(prec(1, /(offset|align)=[0-9A-Fa-fx_]+/)),
    keyword: _ => /[a-z][0-9A-Za-z!#$%&'*+\-./:<=>?@\\^_`|~]*/,
    string: _ => /"([^"\\]|\\.)*"/,
  },
});
