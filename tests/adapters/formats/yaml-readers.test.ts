import { randomUUID } from 'node:crypto';
import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { afterEach, expect, test } from '@jest/globals';
import { type ReaderLimits, workflowYaml, YamlReaders } from '../../../adapters/formats/workflow-yaml.ts';
import { WORKFLOW } from '../../../domain/limits.ts';

const { importBytes, parsesAtOnce, parsesWaiting } = WORKFLOW;

/** One reader, which nothing stops. */
const ONE = { parsesAtOnce: 1, parsesWaiting: 4, parseDeadline: 3_600_000, parsePatience: 3_600_000 };

/** Takes the parser longer than any deadline here. */
const ENDLESS = `[${','.repeat(importBytes * 64)}]`;

const anOwner = () => randomUUID();

const opened: YamlReaders[] = [];
const readers = (limits?: ReaderLimits, program?: URL) => {
  const own = new YamlReaders(limits, program);
  opened.push(own);
  return own;
};
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

test('reads many texts at once, each its own', async () => {
  const yaml = workflowYaml(readers());
  const texts = Array.from({ length: parsesAtOnce + parsesWaiting }, (_, index) => `a: ${index}`);
  const read = await Promise.all(texts.map((text) => yaml.read(text, anOwner())));
  expect(read.map(({ json }) => json)).toEqual(texts.map((_, index) => `{"a":${index}}`));
});

test('429 for a second text of an owner, which waits or is being read; after the reply the owner may send one', async () => {
  const yaml = workflowYaml(readers(ONE));
  const [owner, other] = [anOwner(), anOwner()];
  const all = await Promise.allSettled([owner, other, owner, other].map((each) => yaml.read('a: 1', each)));
  const refused = { code: 'RATE_LIMIT_EXCEEDED', status: 429, retry_after_seconds: 1 };
  expect(all).toMatchObject([
    { status: 'fulfilled' },
    { status: 'fulfilled' },
    { status: 'rejected', reason: refused },
    { status: 'rejected', reason: refused },
  ]);
  for (const each of [owner, other]) expect((await yaml.read('a: 1', each)).json).toBe('{"a":1}');
  await expect(yaml.read('[', owner)).rejects.toMatchObject({ code: 'MALFORMED_BODY' });
  expect((await yaml.read('a: 1', owner)).json).toBe('{"a":1}');
});

test('gives way to those who serve: the process itself keeps its priority', async () => {
  const before = getPriority();
  await workflowYaml(readers()).read('a: 1', anOwner());
  expect(getPriority()).toBe(before);
});

test('503 for more requests than can wait; those that wait are served', async () => {
  const yaml = workflowYaml(readers({ ...ONE, parsesWaiting: 2 }));
  const all = await Promise.allSettled(Array.from({ length: 5 }, () => yaml.read('a: 1', anOwner())));
  const refused = all.filter(({ status }) => status === 'rejected');
  expect(all.map(({ status }) => status).slice(0, 3)).toEqual(Array(3).fill('fulfilled'));
  expect(refused).toEqual(
    Array(2).fill({
      status: 'rejected',
      reason: expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', status: 503 }),
    }),
  );
});

test('400 for what takes too much to compute; its reader ends, and another one serves the requests that wait', async () => {
  const yaml = workflowYaml(readers({ ...ONE, parseDeadline: 300 }));
  const endless = yaml.read(ENDLESS, anOwner());
  const patient = [1, 2].map(() => yaml.read('a: 1', anOwner()));
  await expect(endless).rejects.toMatchObject(TOO_MUCH);
  for (const each of patient) expect((await each).json).toBe('{"a":1}');
});

test('a reader that comes late because the machine is busy is waited for', async () => {
  const yaml = readers({ ...ONE, parseDeadline: 100 }, sleeping(600));
  expect(await yaml.read('a: 1', anOwner())).toEqual({ json: '{}' });
});

test('where Node.js does not report the CPU time of a thread, the clock decides', async () => {
  const { cpuUsage } = Worker.prototype;
  Worker.prototype.cpuUsage = undefined as never;
  try {
    const yaml = readers({ ...ONE, parseDeadline: 100 }, sleeping(3_600_000));
    expect(await yaml.read('a: 1', anOwner())).toMatchObject({ reason: TOO_MUCH.message });
  } finally {
    Worker.prototype.cpuUsage = cpuUsage;
  }
});

test('503 for what has not been read in time, whether it waits or is being read', async () => {
  const yaml = readers({ ...ONE, parsePatience: 200 }, sleeping(3_600_000));
  const all = await Promise.allSettled([1, 2, 3].map(() => yaml.read('a: 1', anOwner())));
  const refused = { status: 'rejected', reason: expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' }) };
  expect(all).toEqual([refused, refused, refused]);
});

test('a reader that has run out of memory is replaced', async () => {
  const yaml = workflowYaml(readers(ONE));
  const heavy = `{${'a,'.repeat(4_000_000)}}`;
  await expect(yaml.read(heavy, anOwner())).rejects.toMatchObject({ code: 'MALFORMED_BODY' });
  expect((await yaml.read('a: 1', anOwner())).json).toBe('{"a":1}');
});

test('closed, it leaves no thread: none that waits for work, none that was reading', async () => {
  const before = threads();
  const yaml = workflowYaml(readers(ONE));
  await yaml.read('a: 1', anOwner());
  expect(threads()).toBe(before + 1);
  await yaml.close();
  expect(threads()).toBe(before);
  const reading = yaml.read('a: 1', anOwner());
  await yaml.close();
  expect((await reading).json).toBe('{"a":1}');
  expect(threads()).toBe(before);
});

const TOO_MUCH = { code: 'MALFORMED_BODY', message: expect.stringMatching(/takes more/) };

/** Those of this process that run a program. */
function threads(): number {
  return (process.report.getReport() as { readonly workers: readonly unknown[] }).workers.length;
}

/** A reader that answers after so many milliseconds in which it computes nothing. */
function sleeping(millis: number): URL {
  return new URL(`data:text/javascript,
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${millis});
      parentPort.postMessage({ json: '{}' });
    });
    parentPort.postMessage('ready');`);
}
