import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Document, Scalar, type ScalarTag, visit } from 'yaml';
import { WORKFLOW } from '../../domain/limits.ts';
import { Problem } from '../../domain/problem.ts';
import { shownJson, withHidden } from '../../domain/shown-text.ts';
import type { WorkflowDocument, WorkflowYaml, YamlReading } from '../../domain/workflows/workflow-files.ts';
import type { YamlFault } from './yaml-text.ts';

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

export interface ThreadedYaml extends WorkflowYaml {
  /** Ends the threads. They do not keep the process running, but without this they would delay its end. */
  close(): Promise<void>;
}

/** Reads YAML in separate threads, and writes it in a form that readers of YAML 1.1 understand too. */
export function workflowYaml(readers = new YamlReaders()): ThreadedYaml {
  return {
    async read(text, owner_id) {
      const reading = await readers.read(text, owner_id);
      if ('json' in reading) return reading;
      const { reason, line, column } = reading;
      const message = `The document ${reason} (line ${line}, column ${column}).`;
      throw new Problem('MALFORMED_BODY', message, {
        suggestion: 'Send one document of YAML 1.2 in UTF-8 without aliases, anchors, tags and directives.',
        details: [{ path: '', message: reason, line, column }],
      });
    },
    write: writeYaml,
    close: () => readers.close(),
  };
}

/** One member a line; a document that would then be too large to import has each node and each edge on one line. */
export function writeYaml(document: WorkflowDocument): string {
  const content = inReadingOrder(document);
  const text = indented(content, 0) > WORKFLOW.importBytes ? '' : inLines(content);
  const isSmall = text !== '' && Buffer.byteLength(text) <= WORKFLOW.importBytes;
  // They are in double quotes, so the escape has the same meaning.
  return printedYaml(isSmall ? text : dense(content));
}

/** The least size of a value with one member a line; it avoids writing deep nesting that would be too large. */
function indented(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null) return 2 * depth + String(value).length;
  return Object.values(value).reduce((sum: number, member) => sum + indented(member, depth + 1), 2 * depth);
}

function inReadingOrder({ schema_version, kind, name, description, tags, visibility, nodes, edges }: WorkflowDocument) {
  const header = { schema_version, kind, name, description, tags, ...(visibility && { visibility }) };
  return {
    ...header,
    nodes: nodes.map(({ id, node_id, config }) => ({ id, node_id, config })),
    edges: edges.map(({ from, to }) => ({ from, to })),
  };
}

function inLines(content: object): string {
  const document = new Document(content, {
    version: '1.2',
    aliasDuplicateObjects: false,
    customTags: (tags) => [EXPONENT, ...tags],
  });
  visit(document, {
    Scalar(place, node) {
      if (typeof node.value !== 'string' || isPlain(node.value)) return;
      if (place === 'key' || !isBlock(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return document.toString({ lineWidth: 0 });
}

/** Words that readers of YAML 1.1 or 1.2 take for a boolean or for null; the package yaml takes `e0` for a number. */
const OTHER_TYPES = /^(?:y|n|yes|no|on|off|true|false|null|e[-+]?\d+)$/i;

/** Whether every reader of YAML takes it for a text without quotes: it begins with a letter and has no indicators. */
function isPlain(text: string): boolean {
  return /^\p{L}(?:[\p{L}\p{M}\p{Nd}_.,;()/+' -]*[\p{L}\p{M}\p{Nd}_.()/+-])?$/u.test(text) && !OTHER_TYPES.test(text);
}

/** Whether a text of several lines may be a literal block, whose lines every reader takes as they are. */
function isBlock(text: string): boolean {
  return /^\S.*\n/.test(text) && !/[\t\r]/.test(text) && printedYaml(text) === text;
}

const WITHOUT_POINT = /^-?\de/;

/** Readers of YAML 1.1 take `1e-7` for a text: there, a number with an exponent has a point and a sign. */
const EXPONENT: ScalarTag = {
  identify: (value) => typeof value === 'number' && WITHOUT_POINT.test(String(value)),
  default: true,
  tag: 'tag:yaml.org,2002:float',
  test: WITHOUT_POINT,
  resolve: Number,
  stringify: ({ value }) => withPoint(String(value)),
};

function withPoint(number: string): string {
  return number.replace('e', '.0e');
}

function dense({ nodes, edges, ...rest }: ReturnType<typeof inReadingOrder>): string {
  const listed = (items: readonly object[]) => items.map((item) => `\n  - ${flow(item)}`).join('') || ' []';
  return `${inLines(rest)}nodes:${listed(nodes)}\nedges:${listed(edges)}\n`;
}

/** JSON as every reader of YAML reads it: a name beyond 1,024 characters is marked as one. */
function flow(item: object): string {
  return JSON.stringify(item).replace(JSON_TOKENS, (token, isName?: string) => {
    if (!token.startsWith('"')) return WITHOUT_POINT.test(token) ? withPoint(token) : token;
    return isName !== undefined && token.length > LONGEST_NAME ? `? ${token}` : token;
  });
}

const JSON_TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"(:)?|-?\d[\d.e+-]*/g;
const LONGEST_NAME = 1_000;

/**
 * The text with escapes in place of what no reader sees, and of carriage returns, which move the cursor. JSON has the same
 * value afterwards. Older records and workflows contain such characters.
 */
export function printed(text: string): string {
  return shownJson(text).replaceAll('\r', '\\u000d');
}

/** The same for YAML, whose strings with such characters are in double quotes: it has no pairs of surrogates. */
export function printedYaml(text: string): string {
  return withHidden(text, (character) => {
    const digits = (character.codePointAt(0) ?? 0).toString(16);
    return character.length > 1 ? `\\U${digits.padStart(8, '0')}` : `\\u${digits.padStart(4, '0')}`;
  });
}

export interface ReaderLimits {
  readonly parsesAtOnce: number;
  readonly parsesWaiting: number;
  /** Milliseconds of processor time that a reader may use for a text. */
  readonly parseDeadline: number;
  /** Milliseconds of wall-clock time after the text arrived. */
  readonly parsePatience: number;
}

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
