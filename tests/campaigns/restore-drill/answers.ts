import { type DrilledAgent, type Population, request } from './population.ts';

/** `STATUS BODY` of every request about a population, by `CALLER PATH`: all of it must be the same after a restore. */
export type Answers = ReadonlyMap<string, string>;

/** Requests with sessions are among them: sessions are in the database. */
export async function answersOf(url: string, { agents, hashes }: Population): Promise<Answers> {
  const answers = new Map<string, string>();
  const add = async (path: string, headers: Readonly<Record<string, string>>, caller: string) => {
    const { status, text } = await request(url, path, { headers });
    answers.set(`${caller} ${path}`, `${status} ${text}`);
  };
  const addAll = async ({ api_key, cookie, email, records }: DrilledAgent) => {
    const key = { 'x-api-key': api_key };
    for (const record_id of records) {
      await add(`/api/v1/agent/decisions/${record_id}`, key, 'its agent');
      await add(`/api/v1/agent/decisions/${record_id}/state`, key, 'its agent');
      await add(`/api/v1/public/decisions/${record_id}`, {}, 'anybody');
    }
    await add('/api/v1/agent/wisdom?market=stock&include_retroactive=true', key, email);
    for (const path of ['decisions?limit=100', 'agents', 'auth/api-keys', 'workflows', 'legal-status'])
      await add(`/api/v1/owner/${path}`, { cookie }, email);
  };
  await Promise.all(agents.map(addAll));
  for (const hash of hashes) await add(`/api/v1/public/workflows/snapshots/${hash}`, {}, 'anybody');
  return answers;
}

/** The requests that were answered differently, apart from fields that depend on the time of the request, each with where. */
export function differencesOf(before: Answers, after: Answers): readonly string[] {
  return [...before].flatMap(([request, answer]) => {
    const [then, now] = [timeless(answer), timeless(after.get(request) ?? '')];
    return then === now ? [] : [`${request}: ${differing(then, now)}, before ${differing(now, then)}`];
  });
}

/** The place of `text` at which it begins to differ from `other`. */
function differing(other: string, text: string): string {
  const at = [...text].findIndex((character, index) => character !== other[index]);
  return text.slice(Math.max(0, at - 40), at + 60);
}

/** Without times and networks of last use, times of counting, questions that were counted, and cursors, which contain the time of their page. */
function timeless(text: string): string {
  return text.replaceAll(
    /"(last_used_at|last_used_network|cached_at|generated_at|next_cursor|queries_asked)":("[^"]*"|null|\d+)/g,
    '"$1":…',
  );
}
