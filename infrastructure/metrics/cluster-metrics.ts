import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry } from 'prom-client';
import { type Millis, SECOND } from '../../domain/time.ts';
import type { Figures, Metrics, MetricsText } from './metrics.ts';

/** Sent by the primary to each API process, and the reply. */
type Question = { readonly figures: 'requested'; readonly id: number };
type Figured = { readonly figures: Figures; readonly id: number };
/** Sent by a scraped API process to the primary, and the reply. */
type Scrape = { readonly scrape: 'requested'; readonly id: number };
type Scraped = { readonly scrape: string; readonly id: number };

/** An API process that has not replied after this time is left out of the scrape. */
const PATIENCE = 2 * SECOND;

/** The figures of all processes of this cluster. Each series has the name of its process, so series are never mixed. */
export interface ClusterMetrics extends MetricsText {
  /** Adds the API process with this number, from 1; a replacement gets the number of the process that it replaces. */
  follow(worker: Worker, place: number): void;
}

/** For the primary: a scrape of any process returns the figures of all of them. */
export function clusterMetrics(own: Metrics): ClusterMetrics {
  const places = new Map<Worker, number>();
  const answers = correspondence<Figures>(PATIENCE);
  const text = async () => {
    const all = [...places].map(async ([worker, place]) => {
      const figures = await answers.ask((id) => worker.send({ figures: 'requested', id } satisfies Question));
      return figures ? named(`api-${place}`, figures) : [];
    });
    const registries = await Promise.all([own.shared(), own.own().then((figures) => named('main', figures)), ...all]);
    return AggregatorRegistry.aggregate([...registries].map((figures) => [...figures])).metrics();
  };
  return {
    text,
    contentType: own.contentType,
    follow(worker, place) {
      // Before that the process cannot reply.
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

/** For an API process: the figures of all processes from the primary; only its own if the primary does not reply. */
function metricsOfPrimary(own: Metrics): MetricsText {
  const answers = correspondence<string>(2 * PATIENCE);
  process.on('message', async ({ id, figures, scrape }: Partial<Question> & Partial<Scraped>) => {
    if (id === undefined) return;
    if (scrape) answers.settle(id, scrape);
    if (figures) process.send?.({ figures: await own.own(), id } satisfies Figured);
  });
  return {
    async text() {
      return (await answers.ask((id) => process.send?.({ scrape: 'requested', id } satisfies Scrape))) ?? own.text();
    },
    contentType: own.contentType,
  };
}

/** The metrics that this process serves: in a worker those of all processes, else its own. */
export function metricsToServe(metrics: Metrics): MetricsText {
  return cluster.isWorker ? metricsOfPrimary(metrics) : metrics;
}

/** The same figures with the name of their process; `first`: processes share no series, so nothing is summed. */
function named(name: string, figures: Figures): Figures {
  return figures.map((figure) => ({
    ...figure,
    aggregator: 'first',
    values: figure.values.map((value) => ({ ...value, labels: { ...value.labels, process: name } })),
  }));
}

/** Requests and replies as messages between processes. */
function correspondence<Answer>(patience: Millis) {
  const waiting = new Map<number, (answer: Answer | null) => void>();
  let last = 0;
  return {
    /** null when no reply arrived in time. */
    ask(send: (id: number) => void): Promise<Answer | null> {
      const id = ++last;
      const { promise, resolve } = Promise.withResolvers<Answer | null>();
      const timer = setTimeout(resolve, patience, null);
      waiting.set(id, resolve);
      try {
        send(id);
      } catch {
        // The process has just died.
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
