import { z } from 'zod';
import type { NamedFile } from '../../../application/workflows/publish-workflow.ts';
import { documentExample } from './workflows/workflow-document.ts';

export const ZIP = 'application/zip';

export const FILE_HEADERS = { 'content-disposition': 'A name for the file (RFC 6266).' };

/** The reply that exports a workflow as text. */
export const YAML_FILE = {
  description: 'The file.',
  contentType: 'application/yaml; charset=utf-8',
  schema: z.string(),
  example: documentExample,
  headers: FILE_HEADERS,
};

/** The reply that offers a file to save. Its name is ASCII without quotes and needs no encoding. */
export function asFile<Content>({ name, content }: NamedFile<Content>) {
  return {
    status: 200 as const,
    headers: { 'content-disposition': `attachment; filename="${name}"` },
    body: content,
  };
}
