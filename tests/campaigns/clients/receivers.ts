import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { addressOf, exitOf } from '../../../scripts/child-process.ts';
import type { Tally } from '../stage/tally.ts';

const CLIENTS = join(import.meta.dirname, '../../../clients');
const [SECRET, FORMER] = [1, 2].map((byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`) as [string, string];

/** The example receivers of webhooks, with requests that the package `standardwebhooks` has signed. */
export async function checkReceivers(python: string, folder: string, tally: Tally): Promise<void> {
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', join(CLIENTS, 'examples/webhooks.ts')];
  await checkReceiver('examples/webhooks.ts', node, join(folder, 'node.jsonl'), tally);
  await checkReceiver(
    'examples/webhooks.py',
    [python, join(CLIENTS, 'examples/webhooks.py')],
    join(folder, 'python.jsonl'),
    tally,
  );
}

async function checkReceiver(
  name: string,
  [program = '', ...args]: readonly string[],
  file: string,
  { check, holds }: Tally,
): Promise<void> {
  const run = () =>
    spawn(program, [...args, file, '0'], {
      env: {
        PATH: process.env.PATH,
        PYTHONPATH: join(CLIENTS, 'python'),
        PYTHONDONTWRITEBYTECODE: '1',
        STANCEBOOK_WEBHOOK_SECRET: `${SECRET} ${FORMER}`,
      },
    });
  let child: ChildProcess = run();
  try {
    let { url } = await addressOf(child, ADDRESS);
    const [first, second, third] = ['a', 'b', 'c'].map(webhookOf) as [Sent, Sent, Sent];
    const statuses = [
      await answerTo(url, first),
      await answerTo(url, first),
      await answerTo(url, { ...second, headers: signed(second, FORMER) }),
      await answerTo(url, { ...third, body: third.body.replace('strong', 'weak') }),
      await answerTo(url, { ...third, headers: signed(third, SECRET, -3_600) }),
      await answerTo(url, { ...third, headers: {} }),
    ];
    const differing = [204, 204, 204, 400, 400, 400].flatMap((status, place) =>
      status === statuses[place] ? [] : [`request ${place} got ${statuses[place]} and not ${status}`],
    );
    check(`${name} answers signed requests with 204, and forged and old ones with 400`, differing);
    await stop(child);
    child = run();
    ({ url } = await addressOf(child, ADDRESS));
    const again = [await answerTo(url, first), await answerTo(url, third)];
    const stored = readFileSync(file, 'utf8').trim().split('\n');
    const ids = stored.map((line) => JSON.parse(line).id).join();
    holds(`${name} stores each event once, also after a restart`, ids === 'a,b,c' && again.join() === '204,204', [
      ids,
      again,
    ]);
  } finally {
    await stop(child);
  }
}

const ADDRESS = /Listening on (http:\/\/127\.0\.0\.1:(\d+))/;

interface Sent {
  readonly id: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

function webhookOf(id: string): Sent {
  const data = { record_id: 'dec_20260129_8f3a2b1c', lifecycle_state: 'evaluated', result_bucket: 'strong_correct' };
  const body = JSON.stringify({ id, type: 'decision.evaluated', timestamp: '2026-01-30T14:30:02.000Z', data });
  return { id, body, headers: signed({ id, body }, SECRET) };
}

/** @param seconds from now */
function signed({ id, body }: Pick<Sent, 'id' | 'body'>, secret: string, seconds = 0): Record<string, string> {
  const at = new Date(Date.now() + seconds * 1_000);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
}

async function answerTo(url: string, { body, headers }: Sent): Promise<number> {
  const response = await fetch(url, { method: 'POST', body, headers });
  await response.arrayBuffer();
  return response.status;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = exitOf(child);
  child.kill();
  await exit;
}
