import { join } from 'node:path';
import { notebookProgram, placeNotebook } from '../../harness/notebooks.ts';
import type { Tally } from '../stage/tally.ts';
import { requireMatplotlib } from './matplotlib.ts';
import { run } from './programs.ts';

const NAME = 'reading-cohorts.ipynb';
const PICTURE = 'reliability.png';

/** The notebook as a script, in a folder with its snapshot: it prints what it shows, and draws its diagram. */
export async function checkNotebook(python: string, folder: string, { holds }: Tally): Promise<void> {
  const place = join(folder, 'notebook');
  const script = placeNotebook(NAME, place);
  const environment = { HOME: folder, ...(await requireMatplotlib(python, folder)) };
  const execute = (args: readonly string[]) => run(python, args, { environment, folder: place });
  const done = await execute([script]);
  const { shown } = notebookProgram(NAME);
  const isShown = done.status === 0 && done.stdout === shown && shown !== '';
  holds(`docs/notebooks/${NAME} prints what it shows`, isShown, [shown, done]);
  const inkOf = async (): Promise<Ink> => {
    const { status, stdout, stderr } = await execute([join(import.meta.dirname, 'ink.py'), PICTURE]);
    return status === 0 ? JSON.parse(stdout) : { fault: stderr, black: 0, grey: 0 };
  };
  const points = shown.match(/^forecast +\d/gm)?.length ?? 0;
  const drawn = await inkOf();
  holds(
    `its diagram has ${points} points and a diagonal, by matplotlib ${drawn.version}`,
    hasAll(drawn, points),
    drawn,
  );
  await execute(['-c', WITHOUT_POINTS]);
  const bare = await inkOf();
  holds('a diagram without its points is found', bare.grey > 0 && !hasAll(bare, points), bare);
}

interface Ink {
  readonly version?: string;
  readonly fault?: string;
  readonly black: number;
  readonly grey: number;
}

/** A point has some fifty pixels without its bar. */
function hasAll({ black, grey }: Ink, points: number): boolean {
  return points > 0 && black >= points * 40 && grey >= 100;
}

const WITHOUT_POINTS = `import matplotlib
matplotlib.use("Agg")
from matplotlib import pyplot
figure, axes = pyplot.subplots(figsize=(5, 5))
axes.plot([0, 1], [0, 1], linestyle=":", color="grey")
axes.set(xlim=(0, 1), ylim=(0, 1))
figure.savefig("${PICTURE}")
`;
