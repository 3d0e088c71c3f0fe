// Draws the layers and their rooms from the imports of the code: `node scripts/write-architecture.ts`, after a room came or went.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { architectureDrawing, DRAWN_LAYERS, importsOf, sourcesOf } from './architecture/drawing.ts';

const PICTURE = join(import.meta.dirname, '../docs/pictures/architecture.svg');

writeFileSync(PICTURE, architectureDrawing(importsOf(sourcesOf(DRAWN_LAYERS))));
