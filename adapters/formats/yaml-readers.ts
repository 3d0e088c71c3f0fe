import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { WORKFLOW } from '../../domain/limits.ts';
import { Problem } from '../../domain/problem.ts';
import type { YamlReading } from '../../domain/workflows/workflow-files.ts';
import type { YamlFault } from './yaml-text.ts';

export interface ReaderLimits {
  readonly parsesAtOnce: number;
  readonly parsesWaiting: number;
  /** Milliseconds, from when a reader has the text. */
  readonly parseDeadline: number;
}

/**
 * Reads YAML in threads of its own, which are started when they are first needed, kept, and ended when a text is too
 * much for them.
 */
export class YamlReaders {
  private readonly limits: ReaderLimits;
  private readonly idle: Worker[] = [];
  private readonly waiting: (() => void)[] = [];
  private busy = 0;

  constructor(limits: ReaderLimits = WORKFLOW) {
    this.limits = limits;
  }

  /** @throws Problem SERVICE_UNAVAILABLE while too many wait */
  async read(text: string): Promise<YamlReading | YamlFault> {
    await this.turn();
    try {
      return await this.readInThread(text);
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.busy -= 1;
    }
  }

  private async turn(): Promise<void> {
    const { parsesAtOnce, parsesWaiting } = this.limits;
    if (this.busy < parsesAtOnce) {
      this.busy += 1;
      return;
    }
    if (this.waiting.length >= parsesWaiting) throw tooMany();
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  private async readInThread(text: string): Promise<YamlReading | YamlFault> {
    const worker = this.idle.pop() ?? (await this.start());
    const { parseDeadline } = this.limits;
    try {
      const answer = once(worker, 'message', { signal: AbortSignal.timeout(parseDeadline) });
      worker.postMessage(text);
      const [reading] = (await answer) as [YamlReading | YamlFault];
      this.idle.push(worker);
      return reading;
    } catch (error) {
      await worker.terminate();
      if (!isTooMuch(error)) throw error;
      return {
        reason: `takes more to read than ${parseDeadline / 1_000} s or its share of memory`,
        line: 1,
        column: 1,
      };
    }
  }

  private async start(): Promise<Worker> {
    const worker = new Worker(new URL('./yaml-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: WORKFLOW.parserMegabytes },
      // What the process was started with, such as modules to load first, and its secrets are none of a reader's business.
      execArgv: ['--disable-warning=ExperimentalWarning'],
      env: {},
    });
    // None keeps the process from ending, and one that breaks while nobody waits for it is only replaced.
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

function tooMany(): Problem {
  return new Problem('SERVICE_UNAVAILABLE', 'Too many workflows are being imported at this moment.');
}

function isTooMuch(error: unknown): boolean {
  const { name, code } = error as { readonly name?: unknown; readonly code?: unknown };
  return name === 'AbortError' || code === 'ERR_WORKER_OUT_OF_MEMORY';
}
