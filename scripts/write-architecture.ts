// Draws the layers and their rooms from the imports of the code: `node scripts/write-architecture.ts`, after a room came or went.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { architectureDrawing, DRAWN_LAYERS } from './architecture/drawing.ts';
import { importsOf, sourcesOf } from './architecture/imports.ts';

const PICTURE = join(import.meta.dirname, '../docs/pictures/architecture.svg');

writeFileSync(PICTURE, architectureDrawing(importsOf(sourcesOf(DRAWN_LAYERS))));
