import { type Cell, REFUSALS, type Refusal } from '../operations/operation.ts';
import { BARRED_KEYS } from './bad-credentials.ts';
import { type Caller, callersOf } from './callers.ts';
import type { Cast } from './cast.ts';
import type { Prepared } from './requests.ts';
import { OWN, type Row, requestOf } from './rows.ts';
import { takenBy } from './served.ts';
import { leaksIn, traceOf } from './trace.ts';
import type { Reply, Wire } from './wire.ts';

/**
 * Sends the request of the row as every caller; returns the differences from the row, and no later ones after those of the
 * refused callers. They come first, with the request with which the first served caller succeeds, so that no refusal is
 * due to the request.
 */
export async function judgeRow(
  cast: Cast,
  row: Row,
  wire: Wire = cast.wire,
  callers: readonly Caller[] = callersOf(cast, row),
): Promise<readonly string[]> {
  const [refused = [], others = [], own = []] = [
    callers.filter(({ column }) => row.cells[column] in REFUSALS),
    callers.filter(({ column }) => row.cells[column] === 'o'),
    callers.filter(({ column }) => row.cells[column] === '+'),
  ];
  const request = await requestOf(cast, row);
  const { faults, after } = await judgeRefused(cast, row, wire, request, refused);
  if (faults.length > 0) return faults;
  return [
    ...(await judgeOthers(cast, row, wire, request, others, after)),
    ...(await judgeServed(cast, row, wire, others.length > 0 ? await requestOf(cast, row) : request, own)),
  ];
}

async function judgeRefused(cast: Cast, row: Row, wire: Wire, request: Prepared, callers: readonly Caller[]) {
  if (callers.length === 0) return { faults: [], after: undefined };
  const asking = await Promise.all(
    callers.map(async (caller) => ({ caller, headers: await caller.headers('refused') })),
  );
  const before = await traceOf(cast, row.of);
  const faults = await Promise.all(
    asking.map(async ({ caller, headers }) => {
      const reply = await wire.send(request, headers);
      const found = [...unlike(refusalOf(row, caller), reply), ...leaks(cast, request, caller, reply)];
      const isStranger = row.cells[caller.column] === '404' && !OWN.includes(caller.column);
      if (isStranger && found.length === 0)
        found.push(...unlikeGhost(request, reply, await wire.send(ghostOf(request), headers)));
      return named(row, caller, found);
    }),
  );
  const after = await traceOf(cast, row.of);
  return { faults: [...faults.flat(), ...changes(row, 'who is refused', before, after)], after };
}

/** Where keys are accepted, the reply says why a known one is refused. */
function refusalOf(row: Row, { column, name }: Caller): readonly [status: number, code: string] {
  const barred = takenBy(row).includes('api_key') ? BARRED_KEYS.get(name) : undefined;
  return barred ?? REFUSALS[row.cells[column] as Refusal];
}

/**
 * Where each success needs a new request, its preparation changes the owner's data, so the data is not compared.
 * @param earlier the trace after the refused callers, since when nothing was sent
 */
async function judgeOthers(
  cast: Cast,
  row: Row,
  wire: Wire,
  request: Prepared,
  callers: readonly Caller[],
  earlier?: string,
): Promise<string[]> {
  if (callers.length === 0) return [];
  const isForAll = row.path.startsWith('/public/') || row.path.startsWith('/admin/');
  if (isForAll) return judgeServed(cast, row, wire, request, callers);
  const before = earlier ?? (await traceOf(cast, row.of));
  const faults: string[] = [];
  for (const caller of callers) faults.push(...(await judgeCaller(cast, row, wire, request, caller)));
  if (Object.values(row.cells).every((cell) => cell !== '+')) return faults;
  return [...faults, ...changes(row, 'who is somebody else', before, await traceOf(cast, row.of))];
}

async function judgeServed(cast: Cast, row: Row, wire: Wire, request: Prepared, callers: readonly Caller[]) {
  const faults: string[] = [];
  for (const [index, caller] of callers.entries()) {
    const prepared = index === 0 ? request : await requestOf(cast, row);
    faults.push(...(await judgeCaller(cast, row, wire, prepared, caller)));
  }
  return faults;
}

async function judgeCaller(cast: Cast, row: Row, wire: Wire, request: Prepared, caller: Caller): Promise<string[]> {
  const headers = await caller.headers();
  await request.arrange?.();
  const reply = await wire.send(request, headers);
  await request.tidy?.();
  const found = unlike([row.ok ?? 0, undefined], reply);
  if (found.length === 0) found.push(...unlikeForm(row.cells[caller.column], request, reply));
  return named(row, caller, [...found, ...leaks(cast, request, caller, reply)]);
}

function unlike([status, code]: readonly [number, string | undefined], reply: Reply): string[] {
  const got = [reply.status, reply.body?.error?.code];
  return got[0] === status && got[1] === code ? [] : [`${got.join(' ')} in place of ${status} ${code ?? ''}`];
}

function unlikeForm(cell: Cell, { isOwn }: Prepared, { body }: Reply): string[] {
  const expected = cell === '+';
  return body === null || isOwn === undefined || isOwn(body) === expected
    ? []
    : [expected ? "not the owner's form" : "the owner's form"];
}

function leaks(cast: Cast, { names }: Prepared, { column }: Caller, { text }: Reply): string[] {
  return OWN.includes(column) ? [] : leaksIn(text, cast, names?.id).map((leak) => `contains ${leak}`);
}

function ghostOf({ names, path, body, ...rest }: Prepared): Prepared {
  const { id = '', ghost = '' } = names ?? {};
  const text = body === undefined ? undefined : JSON.parse(JSON.stringify(body).replaceAll(id, ghost));
  return { ...rest, path: path.replaceAll(id, ghost), ...(body !== undefined && { body: text }) };
}

function unlikeGhost({ names }: Prepared, reply: Reply, ghost: Reply): string[] {
  const said = ({ text, body }: Reply, id = '') => text.replaceAll(id, '').replaceAll(body.error.request_id, '');
  return said(reply, names?.id) === said(ghost, names?.ghost) ? [] : [`${reply.text} in place of ${ghost.text}`];
}

function changes(row: Row, who: string, before: string, after: string): string[] {
  if (before === after) return [];
  const oldLines = new Set(before.split('\n'));
  const added = after.split('\n').filter((line) => !oldLines.has(line));
  return [`${row.operation} of ${row.of}: ${who} has changed ${added.slice(0, 5).join(' ')}`];
}

function named({ operation, of }: Row, { column, name }: Caller, found: readonly string[]): string[] {
  return found.map((fault) => `${operation} of ${of}, ${column} (${name}): ${fault}`);
}
