import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../../stage/callers.ts';
import type { Feed } from '../journal.ts';
import { asOwner, type Crowd, sessionHeaders } from './crowd.ts';

/** Owners with a webhook and a reader of their feed. */
const FEEDS = 3;
const EVENTS = '/api/v1/owner/events';

/** Adds a webhook of some owners before anything happens to their decisions. */
export async function addWebhooks(crowd: Crowd): Promise<void> {
  const owners = new Map(crowd.agents.map(({ caller }) => [caller.owner_id, caller]));
  for (const owner of [...owners.values()].slice(0, FEEDS)) {
    const path = `/${owner.owner_id}`;
    const body = JSON.stringify({ url: `${crowd.stage.receiver.url}${path}` });
    const reply = await asOwner(crowd, owner, { method: 'POST', path: '/api/v1/owner/webhooks', body, right: ['201'] });
    if (reply.status !== 201) throw new Error(`A webhook could not be added: ${reply.text}`);
    crowd.journal.feeds.push({ owner, path, secret: reply.body.secret, events: [], cursor: null, cuts: 0 });
  }
}

export interface FeedReaders {
  /** Reads all feeds to their ends, and stops. */
  finish(): Promise<void>;
}

/** Reads each feed from cursor to cursor, with connections that are cut while a reply arrives. */
export function startReaders(crowd: Crowd): FeedReaders {
  let running = true;
  const all = crowd.journal.feeds.map(async (feed) => {
    while (running) {
      await readOn(crowd, feed, 1 + crowd.random.below(30));
      await sleep(300 + crowd.random.below(700));
    }
    while (!(await readOn(crowd, feed, 100)));
  });
  return {
    async finish() {
      running = false;
      await Promise.all(all);
    },
  };
}

/** Reads the events behind the cursor, after a request for the same that was cut. Returns whether there were none. */
async function readOn(crowd: Crowd, feed: Feed, limit: number): Promise<boolean> {
  const path = `${EVENTS}?limit=${limit}${feed.cursor === null ? '' : `&after=${feed.cursor}`}`;
  if (crowd.random.below(4) === 0) {
    await cutReply(crowd, feed.owner, path);
    feed.cuts += 1;
  }
  const { status, body } = await asOwner(crowd, feed.owner, { method: 'GET', path, right: ['200'] });
  if (status !== 200) return false;
  feed.events.push(...body.items);
  feed.cursor = body.next_cursor;
  return body.items.length === 0;
}

/** Closes the connection as soon as a part of the reply has come. */
function cutReply({ stage, random }: Crowd, owner: Caller, path: string): Promise<void> {
  const url = `${stage.nodes[random.below(stage.nodes.length)]?.url}${path}`;
  return new Promise((resolve) => {
    const sent = get(url, { headers: sessionHeaders(owner), agent: false }, (response) => {
      response.on('error', () => undefined);
      response.once('readable', () => sent.destroy());
    });
    sent.on('error', () => undefined);
    sent.on('close', resolve);
    sent.setTimeout(5_000, () => sent.destroy());
  });
}
