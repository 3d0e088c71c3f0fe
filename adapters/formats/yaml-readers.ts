import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { WORKFLOW } from '../../domain/limits.ts';
import { Problem } from '../../domain/problem.ts';
import type { YamlReading } from '../../domain/workflows/workflow-files.ts';
import type { YamlFault } from './yaml-text.ts';

export interface ReaderLimits {
  readonly parsesAtOnce: number;
  readonly parsesWaiting: number;
  /** Milliseconds of processor time that a reader may use for a text. */
  readonly parseDeadline: number;
  /** Milliseconds of wall-clock time after the text arrived. */
  readonly parsePatience: number;
}

/**
 * Reads YAML in separate threads. A thread is started at its first use and reused; it is ended when a text exceeds its
 * limits.
 */
export class YamlReaders {
  private readonly limits: ReaderLimits;
  private readonly program: URL;
  private readonly idle: Worker[] = [];
  private readonly waiting: (() => void)[] = [];
  private readonly owners = new Set<string>();
  private busy = 0;
  private closed = false;

  constructor(limits: ReaderLimits = WORKFLOW, program = new URL('./yaml-worker.ts', import.meta.url)) {
    this.limits = limits;
    this.program = program;
  }

  /**
   * @throws Problem RATE_LIMIT_EXCEEDED while another text of the owner waits or is being read, SERVICE_UNAVAILABLE while
   * too many texts wait, and for a text that was not read in time
   */
  async read(text: string, owner_id: string): Promise<YamlReading | YamlFault> {
    if (this.owners.has(owner_id)) throw oneAtATime();
    this.owners.add(owner_id);
    try {
      return await this.readInTurn(text);
    } finally {
      this.owners.delete(owner_id);
    }
  }

  /** Ends all readers: idle ones at once, busy ones after their reply. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.all(this.idle.splice(0).map((worker) => worker.terminate()));
  }

  private async readInTurn(text: string): Promise<YamlReading | YamlFault> {
    const late = AbortSignal.timeout(this.limits.parsePatience);
    await this.turn(late);
    try {
      return await this.readInThread(text, late);
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.busy -= 1;
    }
  }

  private async turn(late: AbortSignal): Promise<void> {
    const { parsesAtOnce, parsesWaiting } = this.limits;
    if (this.busy < parsesAtOnce) {
      this.busy += 1;
      return;
    }
    if (this.waiting.length >= parsesWaiting) throw tooMany();
    await new Promise<void>((resolve, reject) => {
      this.waiting.push(resolve);
      late.addEventListener('abort', () => {
        const place = this.waiting.indexOf(resolve);
        if (place >= 0) this.waiting.splice(place, 1);
        reject(tooLate());
      });
    });
  }

  private async readInThread(text: string, late: AbortSignal): Promise<YamlReading | YamlFault> {
    const worker = this.idle.pop() ?? (await this.start());
    const { parseDeadline } = this.limits;
    const spent = new AbortController();
    const watch = watchSpending(worker, parseDeadline, () => spent.abort());
    try {
      const answer = once(worker, 'message', { signal: AbortSignal.any([spent.signal, late]) });
      worker.postMessage(text);
      const [reading] = (await answer) as [YamlReading | YamlFault];
      if (this.closed) await worker.terminate();
      else this.idle.push(worker);
      return reading;
    } catch (error) {
      await worker.terminate();
      if (!spent.signal.aborted && !isOutOfMemory(error)) throw late.aborted ? tooLate() : error;
      return {
        reason: `takes more to read than ${parseDeadline / 1_000} s or its share of memory`,
        line: 1,
        column: 1,
      };
    } finally {
      clearInterval(watch);
    }
  }

  private async start(): Promise<Worker> {
    const worker = new Worker(this.program, {
      resourceLimits: { maxOldGenerationSizeMb: WORKFLOW.parserMegabytes },
      // A reader gets neither the options of the process, such as modules to preload, nor its secrets.
      execArgv: ['--disable-warning=ExperimentalWarning'],
      env: {},
    });
    // Readers do not keep the process running. An idle reader that fails is only replaced.
    worker.unref();
    worker.on('error', () => undefined);
    worker.once('exit', () => {
      const place = this.idle.indexOf(worker);
      if (place >= 0) this.idle.splice(place, 1);
    });
    await once(worker, 'message');
    return worker;
  }
}

const LOOK_EVERY = 100;

/** @param most milliseconds that the thread may compute from now on, before `tooMuch` is called */
function watchSpending(worker: Worker, most: number, tooMuch: () => void): NodeJS.Timeout {
  // The usage of an ended thread cannot be read; `readInThread` handles its end.
  const spent = () => spendingOf(worker).catch(() => 0);
  const before = spent();
  return setInterval(async () => {
    if ((await spent()) - (await before) > most) tooMuch();
  }, LOOK_EVERY);
}

/** Milliseconds of processor time of a thread; before Node.js 24.6 its wall-clock time that was not idle. */
async function spendingOf(worker: Worker): Promise<number> {
  if (typeof worker.cpuUsage !== 'function') return worker.performance.eventLoopUtilization().active;
  const { user, system } = await worker.cpuUsage();
  return (user + system) / 1_000;
}

function oneAtATime(): Problem {
  return new Problem('RATE_LIMIT_EXCEEDED', 'Another workflow of this owner is being imported at the moment.', {
    suggestion: 'Import one workflow at a time: wait for the reply to the other import, then send this one again.',
    retry_after_seconds: 1,
  });
}

function tooMany(): Problem {
  return new Problem('SERVICE_UNAVAILABLE', 'Too many workflows are being imported at the moment.');
}

function tooLate(): Problem {
  return new Problem('SERVICE_UNAVAILABLE', 'The service is too busy to read this workflow at the moment.');
}

function isOutOfMemory(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY';
}
