import { Writable } from 'node:stream';
import { DiagLogLevel, diag, SeverityNumber } from '@opentelemetry/api';
import { ExportResultCode, millisToHrTime, parseKeyPairsIntoRecord } from '@opentelemetry/core';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { LOG_FORWARDING } from '../../domain/limits.ts';
import { serviceResource } from '../tracing/service-resource.ts';
import { VERSION } from '../version.ts';
import type { Logger, LogMethod } from './logger.ts';
import { type ForwardingFigures, type ForwardingSettings, LOSS_REASONS, type LossReason } from './logger.ts';

/** Sends the lines that winston writes to the stream to another machine. It never holds up or fails what logs. */
export interface LineForwarding {
  readonly stream: Writable;
  figures(): ForwardingFigures;
  close(): Promise<void>;
}

type Pace = Readonly<Record<keyof typeof LOG_FORWARDING, number>>;

/**
 * Lines wait in memory and are sent in batches, one request at a time, so that the receiver gets them in order. A request
 * that fails is sent again after a pause that doubles; what the receiver refuses is lost. Where too many wait, the newest
 * are lost: those from the beginning of a trouble explain it.
 * @param log where the forwarding itself reports; its lines are forwarded as well
 */
export function forwardLines(
  settings: ForwardingSettings,
  log: () => Logger,
  pace: Pace = LOG_FORWARDING,
): LineForwarding {
  const origin = { resource: serviceResource(), instrumentationScope: { name: 'stancebook', version: VERSION } };
  const queue = lineQueue(pace);
  const losses = lossReports(log, pace.reportEvery);
  const { sendBatch, sent, pause } = batchSender(senderTo(settings), queue, losses, { log, pace });
  let closed = false;
  const { rouse, run } = oneAtATime(sendBatch, () => (closed || queue.size() === 0 ? null : waitBefore()));
  /** A full batch waits no longer, unless the last request failed. */
  const waitBefore = () => pause() || (queue.isBatchFull() ? 0 : pace.every);
  const drain = async () => {
    while (queue.size() > 0) if (!(await run())) return;
  };
  return {
    stream: new Writable({
      objectMode: true,
      write(info: Info, _, done) {
        if (!queue.add(lineOf(info, origin))) losses.note('full', 1);
        else if (!closed) rouse(waitBefore());
        done();
      },
    }),
    figures: () => ({ waiting: queue.size(), sent: sent(), lost: losses.counts() }),
    async close() {
      closed = true;
      await within(pace.atEnd, drain());
      if (queue.size() > 0) log().warn('Log lines were not sent before the end', { count: queue.size() });
    },
  };
}

interface Line {
  readonly record: OtlpRecord;
  readonly characters: number;
}

type LineQueue = ReturnType<typeof lineQueue>;

function lineQueue({ lines, characters, batch, batchCharacters }: Pace) {
  const waiting: Line[] = [];
  let held = 0;
  return {
    size: () => waiting.length,
    isBatchFull: () => waiting.length >= batch || held >= batchCharacters,
    /** Whether there was room. */
    add(line: Line): boolean {
      if (waiting.length >= lines || held + line.characters > characters) return false;
      waiting.push(line);
      held += line.characters;
      return true;
    },
    /** The oldest, at least one. */
    batch(): readonly Line[] {
      let room = batchCharacters;
      const isWithin = (line: Line, index: number) => {
        room -= line.characters;
        return index < batch && (room >= 0 || index === 0);
      };
      const end = waiting.findIndex((line, index) => !isWithin(line, index));
      return waiting.slice(0, end < 0 ? undefined : end);
    },
    remove(sent: readonly Line[]): void {
      for (const { characters } of waiting.splice(0, sent.length)) held -= characters;
    },
  };
}

interface Reporting {
  log(): Logger;
  readonly pace: Pace;
}

/** `sendBatch` returns whether the batch has left the queue; `pause` is 0 unless the last request failed. */
function batchSender(send: Sender, queue: LineQueue, losses: LossReports, { log, pace }: Reporting) {
  let sent = 0;
  let pause = 0;
  const failed = (facts: Facts) => {
    if (pause === 0) log().warn('Could not send log lines; they wait and are sent again', facts);
    pause = Math.min(pause * 2 || pace.firstPause, pace.longestPause);
  };
  const answered = (size: number, { lost, reason, facts }: Answer) => {
    sent += size - lost;
    if (pause > 0) log().info('The receiver of log lines answers again', { count: queue.size() });
    pause = 0;
    if (lost > 0) losses.note(reason, lost, facts);
  };
  return {
    sent: () => sent,
    pause: () => pause,
    async sendBatch(): Promise<boolean> {
      const batch = queue.batch();
      const outcome = await send(batch.map(({ record }) => record));
      if ('failure' in outcome) failed(outcome.failure);
      else queue.remove(batch);
      if ('reason' in outcome) answered(batch.length, outcome);
      return 'reason' in outcome;
    },
  };
}

/**
 * Runs the work one at a time. `rouse` schedules it unless it is scheduled or running; after each run `next` says when it
 * runs again, null: not before it is roused.
 */
function oneAtATime<T>(work: () => Promise<T>, next: () => number | null) {
  let timer: NodeJS.Timeout | undefined;
  let due = Number.POSITIVE_INFINITY;
  let running: Promise<T> | undefined;
  const clear = () => {
    clearTimeout(timer);
    due = Number.POSITIVE_INFINITY;
  };
  const rouse = (after: number) => {
    if (running !== undefined || performance.now() + after >= due) return;
    clear();
    due = performance.now() + after;
    timer = setTimeout(() => void run(), after).unref();
  };
  const run = () => {
    clear();
    running ??= work().finally(() => {
      running = undefined;
      const after = next();
      if (after !== null) rouse(after);
    });
    return running;
  };
  return { rouse, run };
}

type LossReports = ReturnType<typeof lossReports>;

/** Counts lost lines, and reports them at once, then every so often: the reports may be lost as well. */
function lossReports(log: () => Logger, every: number) {
  const counts: Record<LossReason, number> = { full: 0, refused: 0, rejected: 0 };
  const reported = { ...counts };
  let timer: NodeJS.Timeout | undefined;
  const report = (reason: LossReason, facts: Facts) => {
    const count = counts[reason] - reported[reason];
    reported[reason] = counts[reason];
    log().warn('Log lines were lost on their way to the receiver', { ...facts, count, reason });
  };
  return {
    counts: () => ({ ...counts }),
    note(reason: LossReason, count: number, facts: Facts = {}): void {
      counts[reason] += count;
      if (timer !== undefined) return;
      timer = setTimeout(() => {
        timer = undefined;
        for (const each of LOSS_REASONS) if (counts[each] > reported[each]) report(each, {});
      }, every).unref();
      report(reason, facts);
    },
  };
}

type OtlpRecord = Parameters<OTLPLogExporter['export']>[0][number];

/** As a line of the log may have them. */
type Facts = {
  readonly error?: unknown;
  readonly status?: number;
};

interface Answer {
  readonly lost: number;
  readonly reason: LossReason;
  readonly facts: Facts;
}

type Sender = (records: OtlpRecord[]) => Promise<Answer | { readonly failure: Facts }>;

/** OTLP over HTTP in JSON. The library sends again what may be, for a while, and waits as long as the receiver asks for. */
function senderTo({ url, headers }: ForwardingSettings): Sender {
  const exporter = new OTLPLogExporter({ url, headers: parseKeyPairsIntoRecord(headers) });
  const rejected = followRejections();
  return (records) =>
    new Promise((resolve) => {
      rejected.take();
      exporter.export(records, ({ code, error }) => {
        const status = statusOf(error);
        if (code === ExportResultCode.SUCCESS) resolve({ lost: rejected.take(), reason: 'rejected', facts: {} });
        else if (status === undefined) resolve({ failure: { error } });
        else resolve({ lost: records.length, reason: 'refused', facts: { status } });
      });
    });
}

/** Of a reply that must not be asked for again; undefined where another attempt may succeed. */
function statusOf(error: unknown): number | undefined {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'number' ? code : undefined;
}

/** How many lines the receiver left out of a request that it accepted: the library says so to its diagnostics alone. */
function followRejections(): { take(): number } {
  let rejected = 0;
  const ignore = () => undefined;
  const warn = (_: string, partial?: unknown) => {
    const [, count] = /"rejectedLogRecords":"?(\d{1,9})/.exec(String(partial)) ?? [];
    rejected += Number(count ?? 0);
  };
  const quiet = { error: ignore, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger({ ...quiet, warn }, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  return {
    take() {
      const count = rejected;
      rejected = 0;
      return count;
    },
  };
}

/** A line as winston hands it to its transports: the listed fields of the logger, and the text that is written. */
interface Info {
  readonly level: string;
  readonly message: unknown;
  readonly time?: unknown;
  readonly [field: string]: unknown;
}

const TEXT = Symbol.for('message');

/** The standard's numbers; `http` is less than `info`. */
const SEVERITIES: Readonly<Record<LogMethod, SeverityNumber>> = {
  error: SeverityNumber.ERROR,
  warn: SeverityNumber.WARN,
  info: SeverityNumber.INFO,
  http: SeverityNumber.DEBUG4,
  debug: SeverityNumber.DEBUG,
};

type Origin = Pick<OtlpRecord, 'resource' | 'instrumentationScope'>;

function lineOf(info: Info, origin: Origin): Line {
  const { level, message, time, ...fields } = info;
  const at = millisToHrTime(Date.parse(String(time)));
  const record = {
    ...origin,
    hrTime: at,
    hrTimeObserved: at,
    severityText: level,
    severityNumber: SEVERITIES[level as LogMethod],
    body: String(message),
    attributes: fields as OtlpRecord['attributes'],
    droppedAttributesCount: 0,
  };
  return { record, characters: String((info as { readonly [TEXT]?: unknown })[TEXT]).length };
}

async function within(millis: number, work: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, millis);
  await Promise.race([work, late.promise]);
  clearTimeout(timer);
}
