import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, describe, expect, test } from '@jest/globals';
import { LOG_FORWARDING } from '../../../domain/limits.ts';
import { freePort } from '../../../infrastructure/embedded-postgres/supervisor.ts';
import { forwardLines } from '../../../infrastructure/logging/forward-lines.ts';
import { createLogger, type Logger } from '../../../infrastructure/logging/logger.ts';
import { openLog } from '../../../infrastructure/logging/open-log.ts';
import { type Collector, openCollector, type Reply, valuesOf } from '../../harness/collector.ts';
import { until } from '../../harness/embedded-instance.ts';
import { certificateFor } from '../../harness/outgoing/certificate.ts';

/** Fast, and at the end as patient as a busy machine needs. */
const PACE: Readonly<Record<keyof typeof LOG_FORWARDING, number>> = {
  ...LOG_FORWARDING,
  every: 5,
  firstPause: 10,
  longestPause: 40,
  atEnd: 60_000,
};

const before = { ...process.env };
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
  process.env = { ...before };
});

describe('lines that the receiver takes', () => {
  test('have their time, level, message and listed fields, in the order in which they were logged', async () => {
    const { log, collector, close } = await forwarding();
    log.warn('first', { job: 'prune', count: 3, password: 'canary', error: new TypeError('canary') });
    log.info('second', { cause: null });
    log.http('third', { duration_ms: 1.5 });
    await close();
    const [first] = collector.lines;
    expect(
      collector.lines.map(({ severityText, severityNumber, body }) => [severityText, severityNumber, body]),
    ).toEqual([
      ['warn', 13, { stringValue: 'first' }],
      ['info', 9, { stringValue: 'second' }],
      ['http', 8, { stringValue: 'third' }],
    ]);
    expect(valuesOf(first?.attributes ?? [])).toEqual({ job: 'prune', count: 3, error: { values: expect.anything() } });
    expect(Math.abs(Number(first?.timeUnixNano) / 1e6 - Date.now())).toBeLessThan(3_600_000);
    expect(collector.bodies.join()).not.toContain('canary');
    expect(collector.resources[0]).toMatchObject({ 'service.name': 'stancebook', 'process.pid': process.pid });
  });

  test('are written to standard output as well', async () => {
    const { log, written, close } = await forwarding();
    log.info('first', { count: 3 });
    await close();
    expect(written()).toMatchObject([{ level: 'info', message: 'first', count: 3 }]);
  });

  test('are sent to the whole address that is configured, with its headers', async () => {
    const collector = await collecting();
    const settings = { url: `${collector.url}/store/v1/logs`, headers: 'authorization=Bearer%20canary,x-tenant=ours' };
    const { log, close } = await openLog({ ...QUIET, forwarding: settings });
    log.info('first');
    await close();
    expect(collector.requests).toMatchObject([
      { url: '/store/v1/logs', headers: { authorization: 'Bearer canary', 'x-tenant': 'ours' } },
    ]);
    expect(collector.bodies.join()).not.toContain('canary');
  });

  test('come in batches of a bounded number and length', async () => {
    const { log, collector, close } = await forwarding({ pace: { batch: 3, batchCharacters: 1_000 } });
    for (let index = 0; index < 7; index += 1) log.info('short');
    for (let index = 0; index < 4; index += 1) log.info('long', { job: 'x'.repeat(200), source: 'x'.repeat(200) });
    await close();
    expect(collector.lines.length).toBe(11);
    const counts = collector.bodies.map((body) => body.split('"body"').length - 1);
    expect([Math.max(...counts) <= 3, Math.min(...counts.slice(0, 2))]).toEqual([true, 3]);
    expect(Math.max(...collector.bodies.map(({ length }) => length))).toBeLessThan(4_000);
  });

  test('reach it over TLS, by a certificate of the configured authority alone', async () => {
    const tls = certificateFor(['127.0.0.1']);
    const collector = await collecting(await openCollector({ tls }));
    const stranger = await forwarding({ collector, pace: { atEnd: 50 } });
    stranger.log.info('first');
    await until(() => stranger.written().length > 1);
    expect(stranger.written()[1]).toMatchObject({
      message: SENT_AGAIN,
      error: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    });
    expect(collector.requests).toEqual([]);
    await stranger.close();
    process.env.OTEL_EXPORTER_OTLP_LOGS_CERTIFICATE = fileWith(tls.cert);
    const trusting = await forwarding({ collector });
    trusting.log.info('second');
    await trusting.close();
    expect(textsOf(collector)).toEqual(['second']);
  });
});

describe('while the receiver does not take them', () => {
  test('lines wait, and arrive once and in order when it answers again', async () => {
    process.env.OTEL_EXPORTER_OTLP_LOGS_TIMEOUT = '200';
    const port = await freePort();
    const { log, written, figures, close } = await forwarding({ url: `http://127.0.0.1:${port}` });
    for (let index = 0; index < 5; index += 1) log.info(`line ${index}`);
    await until(() => written().length === 6);
    expect(written()[5]).toMatchObject({ message: SENT_AGAIN, error: { code: 'ECONNREFUSED' } });
    log.info('line 5');
    expect(figures()).toMatchObject({ waiting: 7, sent: 0 });
    const collector = await collecting(await openCollector({ port }));
    await until(() => written().at(-1)?.message === 'The receiver of log lines answers again');
    await close();
    expect(textsOf(collector)).toEqual([
      ...Array(5)
        .fill(0)
        .map((_, index) => `line ${index}`),
      SENT_AGAIN,
      'line 5',
      ANSWERS,
    ]);
    expect(figures()).toEqual({ waiting: 0, sent: 8, lost: { full: 0, refused: 0, rejected: 0 } });
  });

  test.each([
    ['lines', { lines: 4 }],
    ['characters', { characters: 400 }],
  ])('no more %s wait than there is room for; the newest are lost, counted and reported once', async (_, room) => {
    const collector = await collecting(await openCollector({ silent: true }));
    const { log, written, figures, close } = await forwarding({ collector, pace: room });
    for (let index = 0; index < 50; index += 1) log.info(`line ${index}`);
    const reports = () => written().filter(({ message }) => message === LOST);
    await until(() => reports().length > 0);
    expect(reports()).toMatchObject([{ level: 'warn', count: 1, reason: 'full' }]);
    const { waiting, lost } = figures();
    expect(waiting + lost.full).toBe(51);
    expect(waiting).toBeLessThan(7);
    collector.release();
    await close();
    expect(textsOf(collector)).toEqual(Array.from({ length: waiting }, (_, index) => `line ${index}`));
  });

  test('lost lines are reported again after a while, with how many there were since', async () => {
    const { log, written, close } = await forwarding({ pace: { lines: 0, reportEvery: 20 } });
    for (let index = 0; index < 50; index += 1) log.info(`line ${index}`);
    const counts = () => written().flatMap(({ message, count }) => (message === LOST ? [count] : []));
    await until(() => counts().length > 2);
    await close();
    // The first, the 49 others with the report of the first, and the report of those.
    expect(counts().slice(0, 3)).toEqual([1, 50, 1]);
  });

  test('what it refuses is lost, and the lines after it are sent', async () => {
    let refusals = 1;
    const reply = () => ({ status: refusals-- > 0 ? 400 : 200 });
    const { log, written, figures, collector, close } = await forwarding({ reply });
    log.info('first');
    await until(() => figures().lost.refused === 1);
    log.info('second');
    await close();
    expect(written()[1]).toMatchObject({ level: 'warn', message: LOST, count: 1, reason: 'refused', status: 400 });
    expect(textsOf(collector)).toEqual([LOST, 'second']);
    expect(figures()).toEqual({ waiting: 0, sent: 2, lost: { full: 0, refused: 1, rejected: 0 } });
  });

  test('what it leaves out of a request is counted as lost', async () => {
    let rejections = 1;
    const partialSuccess = { rejectedLogRecords: '2', errorMessage: 'canary' };
    const reply = () => ({ status: 200, body: rejections-- > 0 ? { partialSuccess } : {} });
    const { log, written, figures, close } = await forwarding({ reply });
    for (const each of ['first', 'second', 'third']) log.info(each);
    await until(() => figures().lost.rejected > 0);
    await close();
    expect(written()[3]).toMatchObject({ level: 'warn', message: LOST, count: 2, reason: 'rejected' });
    expect(JSON.stringify(written())).not.toContain('canary');
    expect(figures()).toEqual({ waiting: 0, sent: 2, lost: { full: 0, refused: 0, rejected: 2 } });
  });

  test('a busy receiver (503) gets the same lines again', async () => {
    let refusals = 1;
    const reply = () => ({ status: refusals-- > 0 ? 503 : 200 });
    const { log, collector, figures, close } = await forwarding({ reply });
    log.info('first');
    await close();
    expect(textsOf(collector)).toEqual(['first']);
    expect(figures()).toMatchObject({ sent: 1, lost: { refused: 0 } });
  });

  test('the end of the process waits for it no longer than its time, and says what was not sent', async () => {
    const collector = await collecting(await openCollector({ silent: true }));
    const { log, written, close } = await forwarding({ collector, pace: { atEnd: 50 } });
    log.info('first');
    await until(() => collector.requests.length === 1);
    await close();
    expect(written()[1]).toMatchObject({ level: 'warn', message: 'Log lines were not sent before the end', count: 1 });
    collector.release();
    await until(() => collector.lines.length === 1);
  });
});

test('without a receiver nothing is forwarded, and nothing has to be closed', async () => {
  const { forwarding, close } = await openLog({ ...QUIET, forwarding: null });
  expect([forwarding, await close()]).toEqual([null, undefined]);
});

const SENT_AGAIN = 'Could not send log lines; they wait and are sent again';
const ANSWERS = 'The receiver of log lines answers again';
const LOST = 'Log lines were lost on their way to the receiver';
const QUIET = { level: 'debug', format: 'json', stream: new Writable({ write: (_, __, done) => done() }) } as const;

async function collecting(opened?: Collector): Promise<Collector> {
  const collector = opened ?? (await openCollector());
  closers.push(() => collector.close());
  return collector;
}

interface Setup {
  readonly url?: string;
  readonly collector?: Collector;
  readonly reply?: () => Reply;
  readonly pace?: Partial<typeof PACE>;
}

/** A logger that forwards to a collector, with what it writes to standard output. */
async function forwarding({ url, collector: given, reply, pace }: Setup = {}) {
  const collector = given ?? (await collecting(await openCollector(reply ? { reply } : {})));
  const settings = { url: url ?? `${collector.url}/v1/logs`, headers: '' };
  let text = '';
  const stream = new Writable({
    write(chunk, _, done) {
      text += chunk;
      done();
    },
  });
  const { stream: further, ...rest } = forwardLines(settings, () => log, { ...PACE, ...pace });
  const log: Logger = createLogger({ level: 'debug', format: 'json', stream, further: [further] });
  const written = () =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  return { ...rest, log, collector, written };
}

function textsOf({ lines }: Collector): readonly string[] {
  return lines.map(({ body }) => body.stringValue);
}

function fileWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'stancebook-receiver-'));
  closers.push(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'ca.pem'), text);
  return join(folder, 'ca.pem');
}
