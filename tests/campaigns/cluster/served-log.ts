import { setTimeout as sleep } from 'node:timers/promises';
import { base64Of } from '../../../domain/log/encoding.ts';
import { checkpointOf } from '../../../domain/log/notes/checkpoint.ts';
import { noteOf } from '../../../domain/log/notes/note.ts';

/** A checkpoint of the evidence log, as a node served it. */
export interface ServedTree {
  readonly node: string;
  readonly origin: string;
  readonly size: number;
  /** In base64. */
  readonly root: string;
}

export interface LogRecorder {
  /** Each change of what a node served, in the order of time. */
  readonly served: readonly ServedTree[];
  /** Stops after the polls that are under way. */
  stop(): Promise<void>;
}

const EVERY = 250;
const LOGS = [1, 2];

/** Polls the checkpoints of all nodes, those of the second log too. */
export function recordLog(urls: readonly string[]): LogRecorder {
  const served: ServedTree[] = [];
  let open = true;
  const loops = urls.flatMap((node) =>
    LOGS.map(async (log) => {
      let before = '';
      while (open) {
        const tree = await servedTree(node, log);
        const text = JSON.stringify(tree);
        if (tree && text !== before) {
          served.push(tree);
          before = text;
        }
        await sleep(EVERY);
      }
    }),
  );
  return {
    served,
    async stop() {
      open = false;
      await Promise.all(loops);
    },
  };
}

/** The newest checkpoint of a log; null while the node does not serve one. */
export async function servedTree(node: string, log: number): Promise<ServedTree | null> {
  const signal = AbortSignal.timeout(5_000);
  const reply = await fetch(`${node}/log/${log}/checkpoint`, { signal }).catch(() => null);
  const text = await reply?.text().catch(() => null);
  if (reply?.status !== 200 || typeof text !== 'string') return null;
  const { origin, size, root } = checkpointOf(noteOf(text).text);
  return { node, origin, size, root: base64Of(root) };
}
