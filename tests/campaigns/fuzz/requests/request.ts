import fc from 'fast-check';
import type { JsonSchema, Operation, ToolForm } from '../document.ts';
import type { Stage } from '../stage/stage.ts';
import { EMAIL, OTHER_PASSWORD, PASSWORD } from '../stage/things.ts';
import { type Draft, isJson } from './draft.ts';
import { TWISTS } from './twists.ts';
import { type Source, valuesOf } from './values.ts';

/** Operations that hash passwords, which is slow on purpose. */
const SLOW = new Set(['logIn', 'quickSetup', 'registerOwner', 'changePassword', 'reauthenticate']);
/** Operations that end sessions: those of the account with a password, which logs in again and again. */
const BY_ACCOUNT = new Set(['changePassword', 'reauthenticate', 'listSessions', 'endSession', 'endOtherSessions']);
/** Operations with most of the rules. */
const RICH = new Set([
  'submitDecision',
  'submit_decision',
  'queryWisdom',
  'readTrackRecord',
  'createWorkflow',
  'updateWorkflow',
  'importWorkflow',
]);

/** Requests of any caller to any of the operations: half of them unchanged, the others twisted. */
export function requests(
  { document, callers, things }: Pick<Stage, 'document' | 'callers' | 'things'>,
  operations: readonly Operation[],
): fc.Arbitrary<Draft> {
  const source: Source = { things, schemaOf: document.schemaOf };
  const each = operations.map((operation) => ({
    weight: SLOW.has(operation.id) ? 2 : RICH.has(operation.id) ? 30 : 10,
    arbitrary: requestsTo(operation, source, callers),
  }));
  return fc.oneof(...each).map((draft) => withOwnSession(draft, things));
}

/** What is soon refused, as random requests guess passwords: the account proves its own, changes it, and changes it back. */
export function* firstRequests(scene: Pick<Stage, 'document' | 'callers' | 'things'>): Generator<Draft> {
  const caller = scene.callers.find(({ name }) => name === ACCOUNT);
  const proofs: readonly (readonly [string, object])[] = [
    ['logIn', { email: EMAIL, password: PASSWORD }],
    ['reauthenticate', { password: PASSWORD }],
    ['changePassword', { current_password: PASSWORD, new_password: OTHER_PASSWORD }],
    ['changePassword', { current_password: OTHER_PASSWORD, new_password: PASSWORD }],
  ];
  for (const [name, content] of proofs) {
    const operation = scene.document.operations.find(({ id }) => id === name);
    if (!operation || !caller) continue;
    const made = { operation, caller, params: {}, query: [], headers: {}, content, bytes: null, how: '' };
    yield withOwnSession(made, scene.things);
  }
}

const ACCOUNT = 'session of a password';

function requestsTo(operation: Operation, source: Source, callers: Stage['callers']): fc.Arbitrary<Draft> {
  const accepted = callers.filter(({ credential, isAdmin, isForeign }) => {
    if (isForeign || credential === null || !operation.security?.includes(credential)) return false;
    return !operation.path.includes('/admin/') || isAdmin;
  });
  const account = callers.filter(({ name }) => name === ACCOUNT);
  const good = BY_ACCOUNT.has(operation.id) && account.length > 0 ? account : accepted;
  const caller = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...(good.length > 0 ? good : callers)) },
    { weight: 1, arbitrary: fc.constantFrom(...callers) },
  );
  const twists = fc.record({ name: fc.constantFrom(...Object.keys(TWISTS)), n: fc.nat(10_000), m: fc.nat(10_000) });
  return fc
    .record({
      caller,
      params: fc.record(parametersOf(operation, 'path', source)),
      query: fc.record(parametersOf(operation, 'query', source), { requiredKeys: requiredOf(operation) }),
      headers: fc.record(parametersOf(operation, 'header', source), { requiredKeys: [] }),
      content: bodyOf(operation, source),
      twist: fc.option(twists, { freq: 2 }),
    })
    .map(({ caller, params, query, headers, content, twist }) => {
      const made: Draft = {
        operation,
        caller,
        params: texts(params),
        query: Object.entries(texts(query)),
        headers: Object.fromEntries(Object.entries(texts(headers)).map(([name, text]) => [name, sendable(text)])),
        content,
        bytes: null,
        how: '',
      };
      const twisted = twist && TWISTS[twist.name]?.(made, twist.n, twist.m);
      return twisted ? { ...twisted, how: twist.name } : made;
    });
}

function parametersOf({ parameters, path }: Operation, place: string, source: Source) {
  const own = parameters.filter((parameter) => parameter.in === place);
  return Object.fromEntries(own.map(({ name, schema }) => [name, valuesOf(schema, nameIn(path, name), source)]));
}

/** The name of a value: `id` stands for different things by path, and agents end that no key of a caller speaks for. */
function nameIn(path: string, name: string): string {
  if (name === 'agent_id' && /\{agent_id\}(\/archive|\/restore)?$/.test(path)) return 'spare_agent';
  if (name !== 'id') return name;
  return path.includes('/nodes/') ? 'node_id' : 'workflow';
}

function requiredOf({ parameters }: Operation): string[] {
  return parameters.filter((parameter) => parameter.in === 'query' && parameter.required).map(({ name }) => name);
}

function texts(values: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

/** Replaces characters that Node does not send in a header. */
function sendable(text: string): string {
  return text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?');
}

/** Values of the schema, or the example with some members of such values. */
function bodyOf(operation: Operation, source: Source): fc.Arbitrary<unknown> {
  const { body } = operation;
  if (body === null) return fc.constant(undefined);
  if (!isJson(operation)) return fc.oneof(fc.constant(body.example), fc.string({ unit: 'grapheme', maxLength: 200 }));
  const made = valuesOf(body.schema, '', source);
  const example = { ...(body.example as object), ...EXAMPLES[operation.id] };
  const changed = fc.tuple(made, fc.nat(3)).map(([value, most]) => {
    const replaced = Object.entries(value as object).slice(0, most);
    return { ...example, ...freshMembers(operation, example), ...Object.fromEntries(replaced) };
  });
  const any = fc.oneof({ weight: 1, arbitrary: made }, { weight: 2, arbitrary: changed });
  return operation.tool ? withNulls(any, body.schema, operation.tool) : any;
}

/** Optional arguments that are null, as many programs send them. */
function withNulls(any: fc.Arbitrary<unknown>, { properties }: JsonSchema, { required }: ToolForm) {
  const optional = Object.keys(properties as object).filter((name) => !required.includes(name));
  const nulls = fc.oneof(
    { weight: 2, arbitrary: fc.constant<string[]>([]) },
    { weight: 1, arbitrary: fc.subarray(optional) },
  );
  return fc
    .tuple(any, nulls)
    .map(([value, names]) => ({ ...(value as object), ...Object.fromEntries(names.map((name) => [name, null])) }));
}

/** Members that make an example succeed: it has no prices for its own instrument, and no account for its own address. */
const EXAMPLES: Readonly<Record<string, object>> = {
  submitDecision: { market: 'crypto', symbol: 'CHA', venue: 'BINANCE', quote_currency: 'USDT' },
  submitDecisionGroup: { market: 'crypto', symbol: 'CHB', venue: 'BINANCE', quote_currency: 'USDT' },
  logIn: { email: EMAIL, password: PASSWORD },
};

let freshBodies = 0;

function freshMembers({ id }: Operation, example: object): Readonly<Record<string, unknown>> {
  freshBodies += 1;
  const data_cutoff = new Date(Date.now() - 3_600_000).toISOString();
  if (id === 'submitDecision' || id === 'submitDecisionGroup') return { data_cutoff };
  if (id === 'submit_decision_group') {
    const { group } = example as { readonly group: object };
    return { group: { ...group, ...EXAMPLES.submitDecisionGroup, data_cutoff } };
  }
  if (id === 'submit_decision') {
    const { decision } = example as { readonly decision: object };
    return { decision: { ...decision, ...EXAMPLES.submitDecision, data_cutoff } };
  }
  return id === 'registerOwner' || id === 'quickSetup' ? { email: `fuzz-${freshBodies}@example.com` } : {};
}

/**
 * Gives a logout and a login, which ends the session of its cookie, a spare session, and other ends of sessions one of the
 * account, so that the callers' own sessions last.
 */
function withOwnSession(draft: Draft, things: Stage['things']): Draft {
  const { operation, caller } = draft;
  const ends = operation.id === 'logIn' || (operation.id === 'logOut' && !caller.isForeign);
  if (caller.credential !== 'legacy_session') return draft;
  if (!ends && (caller.isForeign || !BY_ACCOUNT.has(operation.id))) return draft;
  const session = ends ? things.get('spare_session')?.pop() : things.get('account_session')?.at(-1);
  return { ...draft, headers: { ...draft.headers, cookie: `sid=${session ?? 'none-left'}` } };
}
