import { ask, type DrilledAgent, type Population } from './population.ts';

/** What the service tells of a population, by what was asked: everything that must be the same after a restore. */
export type Told = ReadonlyMap<string, string>;

/** Sessions are asked with, too: they live in the database. */
export async function toldOf(url: string, { agents, hashes }: Population): Promise<Told> {
  const told = new Map<string, string>();
  const note = async (path: string, headers: Readonly<Record<string, string>>, who: string) => {
    const { status, text } = await ask(url, path, { headers });
    told.set(`${who} ${path}`, `${status} ${text}`);
  };
  const noteAll = async ({ api_key, cookie, email, records }: DrilledAgent) => {
    const key = { 'x-api-key': api_key };
    for (const record_id of records) {
      await note(`/api/v1/agent/decisions/${record_id}`, key, 'its agent');
      await note(`/api/v1/agent/decisions/${record_id}/state`, key, 'its agent');
      await note(`/api/v1/public/decisions/${record_id}`, {}, 'anybody');
    }
    await note('/api/v1/agent/wisdom?market=stock&include_retroactive=true', key, email);
    for (const path of ['decisions?limit=100', 'agents', 'auth/api-keys', 'workflows', 'legal-status'])
      await note(`/api/v1/owner/${path}`, { cookie }, email);
  };
  await Promise.all(agents.map(noteAll));
  for (const hash of hashes) await note(`/api/v1/public/workflows/snapshots/${hash}`, {}, 'anybody');
  return told;
}

/** The questions that were answered otherwise, but for what is of the moment at which they were asked. */
export function differencesOf(before: Told, after: Told): readonly string[] {
  return [...before]
    .filter(([asked, said]) => timeless(said) !== timeless(after.get(asked) ?? ''))
    .map(([asked]) => asked);
}

/** Where it was last used or counted, and the cursor, which names the moment of its page. */
function timeless(text: string): string {
  return text.replaceAll(/"(last_used_at|cached_at|generated_at|next_cursor)":("[^"]*"|null)/g, '"$1":…');
}
