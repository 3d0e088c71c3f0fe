import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configurationDocument } from '../infrastructure/config/document.ts';

writeFileSync(join(import.meta.dirname, '..', 'docs', 'configuration.md'), configurationDocument());
