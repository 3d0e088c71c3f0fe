import { UsageError } from '../client/errors.ts';
import { Stancebook } from '../client/stancebook.ts';
import { keyedConnectionOf } from './credentials.ts';
import { type Command, complain, countOf, print, printJson, shown } from './usage.ts';

/** Seconds between two looks at a feed without news. */
const PAUSE = 10;

/** Decisions on a page of the list. */
const PAGE = 100;

/** Prints the agent's decisions, each on a line, up to the limit. */
export async function list({ words, options }: Command): Promise<void> {
  const most = countOf('limit', options.limit) ?? Number.POSITIVE_INFINITY;
  const client = new Stancebook(keyedConnectionOf(options));
  let printed = 0;
  for await (const decision of client.list({ limit: Math.min(most, PAGE), ...queryOf(words) })) {
    printLine(decision);
    printed += 1;
    if (printed >= most) return;
  }
}

/** Prints a decision as its owner sees it. */
export async function show({ words: [id = ''], options }: Command): Promise<void> {
  printJson(await new Stancebook(keyedConnectionOf(options)).decision(id));
}

/** Prints the events, each on a line; without `follow` it ends at the newest. */
export async function events({ options }: Command): Promise<void> {
  const { after, follow } = options;
  const client = new Stancebook(keyedConnectionOf(options));
  let isSaid = false;
  for await (const { items, next_cursor } of client.follow({ after, pauseSeconds: PAUSE })) {
    for (const event of items) printLine(event);
    if (items.length === 0 && !isSaid) complain(`go on later with --after ${shown(next_cursor)}`);
    if (items.length === 0 && !follow) return;
    isSaid = items.length === 0;
  }
}

/** Prints the first page of a cohort. */
export async function cohort({ words, options }: Command): Promise<void> {
  const query = queryOf(words);
  const client = new Stancebook(keyedConnectionOf(options));
  printJson(await client.request({ method: 'GET', path: '/api/v1/agent/wisdom', query }));
}

/** Prints what the key may do. */
export async function limits({ options }: Command): Promise<void> {
  printJson(await new Stancebook(keyedConnectionOf(options)).limits());
}

/** The conditions of a query; the service judges their names and values. @throws UsageError */
function queryOf(words: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    words.map((word) => {
      const [, name, value] = /^([a-z_]+)=(.*)$/s.exec(word) ?? [];
      if (name === undefined || value === undefined) throw new UsageError(`${word} is not NAME=VALUE.`);
      return [name, value];
    }),
  );
}

function printLine(value: unknown): void {
  print(JSON.stringify(value));
}
