// Writes the types of the TypeScript client: `npm run write-client-types`. The contract campaign fails while they differ
// from the served document.
import { writeFileSync } from 'node:fs';
import { CONTRACT_VERSION } from '../../../adapters/http/openapi/contract-version.ts';
import { openApiDocument } from '../../../adapters/http/openapi/openapi-document.ts';
import { endpointsOf } from '../../../adapters/http/routes/endpoints.ts';
import { documentText } from '../../../adapters/http/service-pages.ts';
import type { Ports } from '../../../application/ports.ts';
import { CLIENT_TYPES, clientTypesOf } from './client-types.ts';
import { installTools } from './tools.ts';

installTools();
// No handler runs here, so that no port is called.
const document = openApiDocument(endpointsOf({} as Ports), CONTRACT_VERSION);
writeFileSync(CLIENT_TYPES, await clientTypesOf(documentText(document)));
