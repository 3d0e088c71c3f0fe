import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleOf } from '../../clients/typescript/bundle.ts';
import { type StaticText, staticReply, staticText, TEXT_HEADERS } from './kit/reply/static-text.ts';
import type { ServedPage } from './kit/served-page.ts';

const CLIENTS = join(import.meta.dirname, '../../clients');

/**
 * The programs that the service serves, each as one file: the verifier of the evidence log (docs/log.md) and the client
 * for Python (docs/clients.md). Each is read at its first request.
 */
export function clientFiles(): ServedPage[] {
  return [
    clientFile('/clients/verify.mjs', 'text/javascript', () => bundleOf(join(CLIENTS, 'typescript/verify.ts'))),
    clientFile('/clients/stancebook.py', 'text/x-python', () =>
      readFileSync(join(CLIENTS, 'python/stancebook.py'), 'utf8'),
    ),
  ];
}

function clientFile(path: string, type: string, read: () => string): ServedPage {
  let file: StaticText | undefined;
  return {
    path,
    async render(request) {
      file ??= staticText(`${type}; charset=utf-8`, read());
      return staticReply(file, request, TEXT_HEADERS);
    },
  };
}
