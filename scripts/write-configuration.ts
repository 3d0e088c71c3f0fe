import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configurationDocument } from '../infrastructure/config/document.ts';
import { inventoryTable } from '../infrastructure/config/secret-inventory.ts';

const DOCS = join(import.meta.dirname, '..', 'docs');

writeFileSync(join(DOCS, 'configuration.md'), configurationDocument());

const secrets = join(DOCS, 'secrets.md');
const table = /^\| Secret \(its file\) .*(\n\|.*)*/m;
writeFileSync(
  secrets,
  readFileSync(secrets, 'utf8').replace(table, () => inventoryTable()),
);
