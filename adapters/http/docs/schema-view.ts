import { boundText } from '../kit/input/query-values.ts';
import type { Envelope } from '../kit/reply/headers.ts';
import type { Operation, Reference, Schema } from '../openapi/reference.ts';
import { html, type Markup, prose } from './markup.ts';

/** The members of a schema as a table, nested ones by their dotted path; named schemas are linked, not repeated. */
export function schemaTable(schema: Schema): Markup {
  const rows = membersOf(schema, '');
  if (rows.length === 0) return html`<p>${typeOf(schema)}</p>`;
  return html`<table><thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Notes</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function membersOf(schema: Schema, prefix: string): Markup[] {
  const forms = schema.anyOf ?? schema.oneOf;
  if (forms) return forms.flatMap((form) => membersOf(form, prefix));
  if (schema.items) return membersOf(schema.items, `${prefix.replace(/\.$/, '')}[].`);
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const isRequired = schema.required?.includes(name) ?? false;
    const own = html`<tr><td><code>${prefix}${name}</code>${isRequired && html` <b>required</b>`}</td><td>${typeOf(member)}</td><td>${notesOf(member)}</td></tr>`;
    return [own, ...membersOf(member, `${prefix}${name}.`)];
  });
}

export function typeOf(schema: Schema): Markup {
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return html`<a href="/docs/schemas#schema-${name}">${name}</a>`;
  }
  const forms = schema.anyOf ?? schema.oneOf;
  if (forms) return html`${forms.map((form, index) => [index > 0 && ' or ', typeOf(form)])}`;
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.items) return html`list of ${typeOf(schema.items)}`;
  const type = [schema.type ?? 'any'].flat().join(' or ');
  return html`${schema.format && schema.type === 'string' ? `${type} (${schema.format})` : type}`;
}

/** Everything that narrows a value down. */
export function notesOf(schema: Schema): Markup {
  const words = schema.enum ?? schema.anyOf?.find((form) => form.enum)?.enum;
  const notes = [
    schema.description?.replace(/\.$/, ''),
    words && `one of ${words.map(String).join(', ')}`,
    range(schema),
    sizes('characters', schema.minLength, schema.maxLength),
    sizes('items', schema.minItems, schema.maxItems),
    schema.pattern && !schema.format && (schema.pattern === '\\S' ? 'not blank' : `matches ${schema.pattern}`),
    schema.default !== undefined && `default ${JSON.stringify(schema.default)}`,
  ].filter((note) => typeof note === 'string');
  return prose(notes.join('; '));
}

function range({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema): string | undefined {
  const low =
    minimum !== undefined ? `>= ${boundText(minimum)}` : exclusiveMinimum !== undefined && `> ${exclusiveMinimum}`;
  const high =
    maximum !== undefined ? `<= ${boundText(maximum)}` : exclusiveMaximum !== undefined && `< ${exclusiveMaximum}`;
  return [low, high].filter((bound) => typeof bound === 'string').join(', ') || undefined;
}

function sizes(unit: string, least: number | undefined, most: number | undefined): string | undefined {
  // The largest number of characters that a request can contain.
  if (most !== undefined && most >= 16 * 1024) return sizes(unit, least, undefined);
  if (least === undefined && most === undefined) return undefined;
  return most === undefined ? `at least ${least} ${unit}` : `${least ?? 0} to ${most} ${unit}`;
}

type Examples = Reference['components']['examples'];

/** A refusal of an operation. */
interface Refusal {
  readonly status: string;
  readonly code: string;
}

/** The refusals of one operation in words. Those that most operations have are described once, below Errors. */
export function refusalList(
  operation: Operation,
  { examples, common }: { readonly examples: Examples; readonly common: ReadonlySet<string> },
): Markup | null {
  const all = refusalsOf(operation);
  const own = all.filter(({ code }) => !common.has(code));
  if (all.length === 0) return null;
  const rows = own.map(({ status, code }) => {
    const example = examples[code]?.value as Envelope | undefined;
    const words = example && html`: ${prose(example.error.message)} ${prose(example.error.suggestion)}`;
    return html`<li><span class="status s${status.charAt(0)}">${status}</span> <a href="/docs/errors#error-${code}"><code>${code}</code></a>${words}</li>`;
  });
  const others = [...new Set(all.filter(({ code }) => common.has(code)).map(({ status }) => status))].join(', ');
  return html`<h2>When it is refused</h2>
${rows.length > 0 && html`<ul class="refusals">${rows}</ul>`}
${others !== '' && html`<p class="auth">And as most operations: ${others}, see <a href="/docs/errors">Errors</a>.</p>`}`;
}

/** The codes that at least half of the operations may refuse with. */
export function commonCodes(operations: readonly Operation[]): ReadonlySet<string> {
  const codes = operations.flatMap((operation) => [...new Set(refusalsOf(operation).map(({ code }) => code))]);
  const counts = Map.groupBy(codes, (code) => code);
  return new Set([...counts].filter(([, each]) => each.length * 2 >= operations.length).map(([code]) => code));
}

function refusalsOf({ responses }: Operation): readonly Refusal[] {
  return Object.entries(responses).flatMap(([status, { content }]) =>
    Object.values(content ?? {}).flatMap(({ examples }) =>
      Object.keys(examples ?? {}).map((code) => ({ status, code })),
    ),
  );
}
