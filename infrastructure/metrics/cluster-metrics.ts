import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry } from 'prom-client';
import { type Millis, SECOND } from '../../domain/time.ts';
import type { Figures, Metrics, MetricsText } from './metrics.ts';

/** Of the primary to each API process, and back. */
type Question = { readonly figures: 'asked'; readonly id: number };
type Figured = { readonly figures: Figures; readonly id: number };
/** Of an API process that is scraped to the primary, and back. */
type Scrape = { readonly scrape: 'asked'; readonly id: number };
type Scraped = { readonly scrape: string; readonly id: number };

/** An API process that has not answered by then is left out of this scrape. */
const PATIENCE = 2 * SECOND;

/** The figures of all processes of this cluster. Each series keeps the name of its process, so that none jumps or mixes. */
export interface ClusterMetrics extends MetricsText {
  /** Listens to the API process of that place, from 1; one that replaces another takes its place. */
  follow(worker: Worker, place: number): void;
}

/** For the primary: a scrape of any process returns the figures of all of them. */
export function clusterMetrics(own: Metrics): ClusterMetrics {
  const places = new Map<Worker, number>();
  const answers = correspondence<Figures>(PATIENCE);
  const text = async () => {
    const all = [...places].map(async ([worker, place]) => {
      const figures = await answers.ask((id) => worker.send({ figures: 'asked', id } satisfies Question));
      return figures ? named(`api-${place}`, figures) : [];
    });
    const registries = await Promise.all([own.shared(), own.own().then((figures) => named('main', figures)), ...all]);
    return AggregatorRegistry.aggregate([...registries].map((figures) => [...figures])).metrics();
  };
  return {
    text,
    contentType: own.contentType,
    follow(worker, place) {
      // Before that it cannot answer.
      worker.once('listening', () => places.set(worker, place));
      worker.once('exit', () => places.delete(worker));
      worker.on('message', (message: Partial<Figured> & Partial<Scrape>) => {
        const { id, figures, scrape } = message;
        if (id === undefined) return;
        if (figures) answers.settle(id, figures);
        if (scrape)
          void text().then((text) => worker.isConnected() && worker.send({ scrape: text, id } satisfies Scraped));
      });
    },
  };
}

/** For an API process: what the primary knows of all of them; its own figures alone where that does not answer. */
export function metricsOfPrimary(own: Metrics): MetricsText {
  const answers = correspondence<string>(2 * PATIENCE);
  process.on('message', async ({ id, figures, scrape }: Partial<Question> & Partial<Scraped>) => {
    if (id === undefined) return;
    if (scrape) answers.settle(id, scrape);
    if (figures) process.send?.({ figures: await own.own(), id } satisfies Figured);
  });
  return {
    async text() {
      return (await answers.ask((id) => process.send?.({ scrape: 'asked', id } satisfies Scrape))) ?? own.text();
    },
    contentType: own.contentType,
  };
}

/** What this process answers to a scrape: in a worker the figures of all processes, else its own. */
export function metricsToServe(metrics: Metrics): MetricsText {
  return cluster.isWorker ? metricsOfPrimary(metrics) : metrics;
}

/** The same figures under the name of their process; `first`: no two processes share a series that could be added up. */
function named(name: string, figures: Figures): Figures {
  return figures.map((figure) => ({
    ...figure,
    aggregator: 'first',
    values: figure.values.map((value) => ({ ...value, labels: { ...value.labels, process: name } })),
  }));
}

/** Questions that are asked by a message and answered by another one. */
function correspondence<Answer>(patience: Millis) {
  const waiting = new Map<number, (answer: Answer | null) => void>();
  let last = 0;
  return {
    /** null when no answer came in time. */
    ask(send: (id: number) => void): Promise<Answer | null> {
      const id = ++last;
      const { promise, resolve } = Promise.withResolvers<Answer | null>();
      const timer = setTimeout(resolve, patience, null);
      waiting.set(id, resolve);
      try {
        send(id);
      } catch {
        // A process that has just died.
        resolve(null);
      }
      return promise.finally(() => {
        clearTimeout(timer);
        waiting.delete(id);
      });
    },
    settle(id: number, answer: Answer): void {
      waiting.get(id)?.(answer);
    },
  };
}
