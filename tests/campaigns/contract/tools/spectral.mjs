// The rules that the OpenAPI document is held against: all of spectral:oas and of the OWASP API top 10. Each change to them
// says why the rule as it comes is wrong for this interface.
import { defined, schema, truthy } from '@stoplight/spectral-functions';
import owasp from '@stoplight/spectral-owasp-ruleset';
import { oas } from '@stoplight/spectral-rulesets';

const ruleset = owasp.default ?? owasp;

/** A rule as it comes, but for where it looks, and by what it judges. */
function changed(name, given, judge) {
  const rule = ruleset.rules[name];
  // biome-ignore lint/suspicious/noThenProperty: Spectral calls it so.
  return { ...rule, given: given ?? rule.given, then: judge ?? rule.then };
}

/** Schemas of a type among what callers send, at any depth. */
function sent(type) {
  const places = ['$.paths[*][*].parameters[*].schema', '$.paths[*][*].requestBody.content[*].schema'];
  return places.flatMap((place) => [
    `${place}..[?(@ && @.type=='${type}')]`,
    `${place}[?(@property=='type' && @=='${type}')]^`,
  ]);
}

/** Every other way in which a string is known to end. */
const ENDING_STRING = {
  anyOf: [
    { required: ['maxLength'] },
    { required: ['enum'] },
    { required: ['const'] },
    { required: ['format'], properties: { format: { enum: ['date', 'date-time', 'uuid'] } } },
    // Anchored, and nothing in it repeats without an end.
    { required: ['pattern'], properties: { pattern: { pattern: '^\\^(?!.*([*+]|,\\})).*\\$$' } } },
  ],
};

const RATE_HEADERS = { type: 'object', required: ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'] };

// biome-ignore lint/style/noDefaultExport: Spectral reads a ruleset so.
export default {
  extends: [[oas, 'all'], ruleset],
  rules: {
    // The software is not licensed to others, and who runs it is not known to it.
    'info-contact': 'off',
    'info-license': 'off',
    'license-url': 'off',

    // What we send is bounded by what was taken in and by the limits of pages; these two are about what is taken in. A format
    // or a pattern can bound a string, too.
    'owasp:api4:2023-string-limit': changed('owasp:api4:2023-string-limit', sent('string'), {
      function: schema,
      functionOptions: { schema: ENDING_STRING },
    }),
    'owasp:api4:2023-array-limit': changed('owasp:api4:2023-array-limit', sent('array')),
    // These find schemas in examples: a kind of step has its own JSON Schema as a value.
    'owasp:api4:2023-integer-limit': changed('owasp:api4:2023-integer-limit', sent('integer')),
    'owasp:api4:2023-integer-format': changed('owasp:api4:2023-integer-format', [
      ...sent('integer'),
      `$.paths[*][*].responses[*].content[*].schema..[?(@ && @.type=='integer')]`,
    ]),
    // Names, reasons and factors are free text; what is not has its format, pattern or words.
    'owasp:api4:2023-string-restricted': 'off',

    // Names of headers have no case (RFC 9110, 5.1), while these three know one spelling. The same rules in ours.
    'owasp:api4:2023-rate-limit': changed('owasp:api4:2023-rate-limit', undefined, {
      field: 'headers',
      function: schema,
      functionOptions: { schema: RATE_HEADERS },
    }),
    'owasp:api4:2023-rate-limit-retry-after': changed('owasp:api4:2023-rate-limit-retry-after', undefined, {
      field: 'retry-after',
      function: defined,
    }),
    'owasp:api8:2023-define-cors-origin': changed(
      'owasp:api8:2023-define-cors-origin',
      '$.paths..responses[*].headers',
      { field: 'access-control-allow-origin', function: truthy },
    ),

    // Admin is a role of an owner and not a credential (interface.md 5, settled.md 8): tests/http/authorisation proves who
    // gets in.
    'owasp:api5:2023-admin-security-unique': 'off',
    // The admin area answers 403 to everyone else, and the public area asks for no credential (interface.md 4.1, 4.5).
    'owasp:api8:2023-define-error-responses-401': changed(
      'owasp:api8:2023-define-error-responses-401',
      '$.paths[?(@property.match(/^\\/api\\/v1\\/(agent|owner)\\//))]..responses',
    ),
    // The contract has operations without credentials (interface.md 5, rule 9): tests/http/contract-table.ts names them all.
    'owasp:api2:2023-read-restricted': 'off',
    'owasp:api2:2023-write-restricted': 'off',
  },
};
