import { Problem, type ProblemDetail } from '../../../domain/problem.ts';
import type { InputFault } from '../kit/input/input-faults.ts';
import { parseJson, TOKENS } from '../kit/input/json-text.ts';
import type { Schema } from '../openapi/reference.ts';

/** Arguments in the form that their endpoint reads, as JSON, and what in them stands for nothing that it reads. */
export interface ReadArguments {
  readonly text: string;
  readonly faults: readonly InputFault[];
}

/**
 * Arguments as hosts and models send them, in the form that their endpoint reads. Where the schema says so, and nowhere else:
 * null or "" of an optional member is left out; a text where none is allowed is read as the JSON of a list or an object (once
 * on each path), a number, or true or false. A text that is allowed stays a text. What needs none of this, and all free JSON
 * such as `meta`, keeps its spelling. The endpoint judges the result as every body.
 * @param schema what the endpoint accepts, without references
 * @param text valid JSON that `parseJson` accepts
 * @param isOfText whether `text` was itself sent as a text
 */
export function forgivingArguments(schema: Schema, text: string, isOfText: boolean): ReadArguments {
  const faults: InputFault[] = [];
  return { text: rewritten(tokensOf(text), schema, { path: '', isOfText, faults }), faults };
}

interface Place {
  readonly path: string;
  /** Whether a text around it was already read as JSON. */
  readonly isOfText: boolean;
  readonly faults: InputFault[];
}

interface Tokens {
  readonly list: readonly string[];
  next: number;
}

function tokensOf(json: string): Tokens {
  return { list: json.match(TOKENS) ?? [], next: 0 };
}

function taken(tokens: Tokens): string {
  const token = tokens.list[tokens.next] ?? '';
  tokens.next += 1;
  return token;
}

/** The next value. @param schema undefined: free JSON, or a member that the endpoint refuses */
function rewritten(tokens: Tokens, schema: Schema | undefined, place: Place): string {
  const token = taken(tokens);
  if (token === '{') return objectOf(tokens, schema && branchOf(schema, 'object'), place);
  if (token === '[') return listOf(tokens, schema && branchOf(schema, 'array')?.items, place);
  return schema && token.startsWith('"') ? ofText(token, schema, place) : token;
}

function objectOf(tokens: Tokens, { properties = {}, required = [] }: Schema = {}, place: Place): string {
  const members: string[] = [];
  for (let token = taken(tokens); token !== '}'; token = taken(tokens)) {
    if (token === ',') continue;
    const name = JSON.parse(token) as string;
    taken(tokens); // the colon
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const sent = tokens.list[tokens.next] ?? '';
    if (schema && !required.includes(name) && isMissing(sent, schema)) taken(tokens);
    else members.push(`${token}:${rewritten(tokens, schema, under(place, name))}`);
  }
  return `{${members.join(',')}}`;
}

function listOf(tokens: Tokens, schema: Schema | undefined, place: Place): string {
  const items: string[] = [];
  while (tokens.list[tokens.next] !== ']') {
    if (tokens.list[tokens.next] === ',') taken(tokens);
    else items.push(rewritten(tokens, schema, under(place, String(items.length))));
  }
  taken(tokens);
  return `[${items.join(',')}]`;
}

function isMissing(token: string, schema: Schema): boolean {
  return token === '""' || (token === 'null' && branchOf(schema, 'null') === undefined);
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

const BOOLEAN = /^([tT]rue|[fF]alse)$/;

/** What a text stands for; one that stands for nothing stays, and the endpoint refuses it. */
function ofText(token: string, schema: Schema, place: Place): string {
  const text = JSON.parse(token) as string;
  if (branchOf(schema, 'string')) {
    if (isWholeObject(text, branchOf(schema, 'object'))) refuse(place, 'must be the object itself, not its text');
    return token;
  }
  if (NUMBER.test(text) && (branchOf(schema, 'number') ?? branchOf(schema, 'integer'))) return text;
  if (BOOLEAN.test(text) && branchOf(schema, 'boolean')) return text.toLowerCase();
  const [, bracket] = /^\s*([{[])/.exec(text) ?? [];
  const isJson = bracket !== undefined && branchOf(schema, bracket === '{' ? 'object' : 'array') !== undefined;
  return isJson ? ofJsonText(text, token, schema, place) : token;
}

function ofJsonText(text: string, token: string, schema: Schema, place: Place): string {
  if (place.isOfText) {
    refuse(place, 'must be JSON here, not its text: it is inside a text that was read as JSON');
    return token;
  }
  try {
    parseJson(text);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    for (const { path, message } of error.details ?? [faultOf(error)]) refuse(under(place, path), message);
    return token;
  }
  return rewritten(tokensOf(text), schema, { ...place, isOfText: true });
}

/** A text that is JSON in no part, as a fault of its place. */
function faultOf({ message }: Problem): ProblemDetail {
  return { path: '', message: message.replace(/^The body /, '').replace(/\.$/, '') };
}

/** Whether a text is the JSON of an object with all that this schema requires; never without a schema. */
function isWholeObject(text: string, schema: Schema | undefined): boolean {
  if (!schema || !/^\s*\{/.test(text)) return false;
  try {
    const value = JSON.parse(text) as object;
    return (schema.required ?? []).every((name) => Object.hasOwn(value, name));
  } catch {
    return false;
  }
}

/** The alternative of a schema that allows values of a type. One that allows all values counts as that of texts. */
function branchOf(schema: Schema, type: string): Schema | undefined {
  const { anyOf, type: own = anyOf ? [] : 'string' } = schema;
  if ([own].flat().includes(type)) return schema;
  return anyOf?.map((each) => branchOf(each, type)).find((branch) => branch !== undefined);
}

function under(place: Place, name: string): Place {
  return { ...place, path: [place.path, name].filter((part) => part !== '').join('.') };
}

function refuse({ path, faults }: Place, message: string): void {
  faults.push({ kind: 'shape', detail: { path: path.slice(0, 200), message } });
}
