// Assembly as GNU as, NASM and YASM read it, for any processor: which instructions and registers there are is left to them.
//
// A line is a statement. Those behind a label belong to it up to the next label, those behind a local one (`.L2:`, `1:`) to
// that. What opens and closes (macros, conditions, repetitions, structures) holds the lines between.

const both = (...words) => choice(...words.flatMap(word => [word, word.toUpperCase()]));
// The end of a line, or of the text.
const end = choice(/\n/, '\0');
const conditions = ['', 'def', 'ndef', 'idn', 'nidn', 'idni', 'nidni', 'num', 'nnum', 'id', 'nid', 'str', 'nstr', 'token', 'ntoken',
  'empty', 'nempty', 'macro', 'nmacro', 'ctx', 'nctx', 'env', 'nenv', 'n'];
const gnu_conditions = ['', 'def', 'ndef', 'notdef', 'b', 'nb', 'c', 'nc', 'eq', 'ne', 'eqs', 'nes', 'ge', 'gt', 'le', 'lt'];
const sizes = ['b', 'w', 'd', 'q', 't', 'o', 'y', 'z', 'dq'];

// Parameters of macros are names or parts of names: `\x`, `\@`, `\()`, and those of NASM: `%1`, `%%x`, `%$x`, `%{1}`.
const argument = /\\[a-zA-Z_@]|\\\(\)|%([%$!]*|[-+])?[.a-zA-Z0-9_]|%\{[^}\n]*\}/;
const more = repeat(choice(/[a-zA-Z0-9_.$?~]|[^\x00-\x7f]/, argument));
const word = seq(choice(/[a-zA-Z_$?]|[^\x00-\x7f]|:[a-z0-9_]+:/, argument), more);
const dotted = seq('.', more);

module.exports = grammar({
  name: 'asm',

  extras: $ => [/\s/, /\\\r?\n/, $.comment],

  supertypes: $ => [$._item, $._statement, $._expression],

  inline: $ => [$._name],

  rules: {
    program: $ => repeat($._item),

    // `#` and `@` begin a comment where a blank follows; otherwise they belong to a value.
    comment: _ => token(choice(
      /;[^\n]*/,
      /\/\/[^\n]*/,
      /[#@]([ \t][^\n]*)?/,
      /\/\*[^*]*\*+([^/*][^*]*\*+)*\//,
    )),

    // Lines

    _item: $ => choice($.labelled, $.local_labelled, $._statement),

    _statement: $ => choice(
      $.instruction,
      $.directive,
      $.definition,
      $.assignment,
      $.bracketed_directive,
      $.preprocessor_line,
      $.macro_definition,
      $.conditional,
      $.preprocessor_conditional,
      $.repetition,
      $.structure,
    ),

    labelled: $ => prec.right(seq($.label, repeat(choice($.local_labelled, $._statement)))),
    local_labelled: $ => prec.right(seq(alias($.local_label, $.label), repeat($._statement))),
    // With its colon: where a line begins, nothing else tells a label from an instruction.
    label: _ => token(seq(word, /[ \t]*::?/)),
    local_label: _ => token(choice(seq(dotted, ':'), /[0-9]+:/)),

    instruction: $ => seq(field('name', alias($._word, $.mnemonic)), optional(field('arguments', $.operands)), end),
    directive: $ => seq(field('name', alias($._dotted, $.mnemonic)), optional(field('arguments', $.operands)), end),
    definition: $ => seq(
      optional(field('name', $._name)),
      field('type', $.data_type),
      optional(field('value', $.operands)),
      end,
    ),
    data_type: _ => both(...sizes.flatMap(size => ['d' + size, 'res' + size]), 'equ'),
    assignment: $ => prec(20, seq(field('name', $._name), choice('=', '=='), field('value', $._expression), end)),
    bracketed_directive: $ => seq('[', $.operands, ']', end),
    preprocessor_line: $ => seq($.preprocessor_text, end),
    preprocessor_text: _ => token(prec(-1, /#[a-zA-Z]([^\\\n]|\\\r?\n|\\.)*/)),

    macro_definition: $ => seq(
      both('%macro', '%imacro', '%rmacro', '%irmacro', '.macro'),
      field('name', $._name),
      optional(field('parameters', $.macro_parameters)),
      end,
      field('body', optional($.body)),
      both('%endmacro', '%endm', '.endm', '.endmacro'),
      end,
    ),
    macro_parameters: _ => token(prec(-1, /[^\s;\\]([^\n;\\]|\\\r?\n)*/)),
    body: $ => repeat1($._item),

    conditional: $ => seq(
      both(...conditions.map(word => '%if' + word), ...gnu_conditions.map(word => '.if' + word)),
      field('condition', optional($.operands)),
      end,
      field('body', optional($.body)),
      repeat($.elif_branch),
      optional($.else_branch),
      both('%endif', '.endif'),
      end,
    ),
    elif_branch: $ => seq(
      both(...conditions.map(word => '%elif' + word), '.elseif'),
      field('condition', optional($.operands)),
      end,
      field('body', optional($.body)),
    ),
    else_branch: $ => seq(both('%else', '.else'), end, field('body', optional($.body))),

    preprocessor_conditional: $ => seq(
      $.preprocessor_condition,
      end,
      field('body', optional($.body)),
      repeat($.preprocessor_branch),
      '#endif',
      end,
    ),
    preprocessor_branch: $ => seq(alias($.preprocessor_alternative, $.preprocessor_condition), end, field('body', optional($.body))),
    preprocessor_condition: _ => /#if([^\\\n]|\\\r?\n|\\.)*/,
    preprocessor_alternative: _ => /#el([^\\\n]|\\\r?\n|\\.)*/,

    repetition: $ => seq(
      both('%rep', '%while', '.rept', '.rep', '.irp', '.irpc'),
      field('condition', optional($.operands)),
      end,
      field('body', optional($.body)),
      both('%endrep', '%endwhile', '.endr'),
      end,
    ),

    structure: $ => seq(
      both('struc', 'istruc'),
      field('name', $.operands),
      end,
      field('body', optional($.body)),
      both('endstruc', 'iend'),
      end,
    ),

    // Values

    operands: $ => choice(
      seq($.operand, repeat(seq(',', optional($.operand)))),
      seq(repeat1(seq(',', optional($.operand)))),
    ),
    operand: $ => repeat1($._expression),

    _expression: $ => choice(
      $._name,
      $.number,
      $.string,
      $.unary_expression,
      $.binary_expression,
      $.postfix_expression,
      $.parenthesized_expression,
      $.application,
      $.memory_expression,
      $.braced_expression,
    ),

    unary_expression: $ => prec(12, seq(choice('-', '+', '~', '!', '#', '=', '*', '@'), $._expression)),
    binary_expression: $ => choice(...[
      [1, [':']],
      [2, ['||', '&&', '^^']],
      [3, ['=', '==', '!=', '<>', '<', '>', '<=', '>=']],
      [4, ['|']],
      [5, ['^']],
      [6, ['&']],
      [7, ['<<', '>>', '<<<', '>>>']],
      [8, ['+', '-']],
      [9, ['*', '/', '%', '%%']],
      [13, ['@', '%+']],
    ].map(([level, operators]) => prec.left(level, seq(
      field('left', $._expression),
      field('operator', choice(...operators)),
      field('right', $._expression),
    )))),
    postfix_expression: $ => prec(13, seq($._expression, '!')),
    parenthesized_expression: $ => seq('(', optional($.operands), ')'),
    application: $ => prec(14, seq(
      field('function', $._expression),
      '(',
      optional(field('arguments', $.operands)),
      ')',
    )),
    memory_expression: $ => seq(choice('[', '%['), optional($.operands), ']'),
    braced_expression: $ => seq('{', optional($.operands), '}'),

    // Leaves

    _name: $ => choice(alias($._word, $.identifier), alias($._dotted, $.identifier)),
    _word: _ => token(word),
    _dotted: _ => token(dotted),
    number: _ => /:?[0-9][0-9a-zA-Z_.]*/,
    string: _ => token(choice(
      /"([^"\\\n]|\\.)*"/,
      /'[^'\n]*'/,
      /'\\?./,
      /`([^`\\\n]|\\.)*`/,
    )),
  },
});
