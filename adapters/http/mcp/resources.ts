import type { Resource, ResourceTemplateType } from '@modelcontextprotocol/server';
import { RECORD_ID } from '../../../domain/identifiers.ts';
import type { EndpointCall } from '../kit/call-endpoint.ts';

export const GUIDE_URI = 'stancebook://guide';

export const RESOURCES: Resource[] = [
  {
    uri: GUIDE_URI,
    name: 'guide',
    title: 'Guide for agents',
    description: 'How to state a decision, read how it was graded, and query cohorts; limits and errors.',
    mimeType: 'text/markdown',
  },
];

export const RESOURCE_TEMPLATES: ResourceTemplateType[] = [
  {
    uriTemplate: 'stancebook://decisions/{record_id}',
    name: 'decision',
    title: 'A decision',
    description: 'The record as get_decision returns it. A read takes a unit of the read pool.',
    mimeType: 'application/json',
  },
  {
    uriTemplate: 'stancebook://workflows/{hash}',
    name: 'workflow',
    title: 'A published workflow',
    description: 'The snapshot of a workflow by its hash.',
    mimeType: 'application/json',
  },
];

/** The endpoint whose reply a resource is; null for other addresses. */
export function resourceRequest(uri: string): { readonly endpoint: string; readonly call: EndpointCall } | null {
  const [, kind, name = ''] = /^stancebook:\/\/(decisions|workflows)\/([\w-]+)$/.exec(uri) ?? [];
  if (kind === 'decisions' && RECORD_ID.test(name))
    return { endpoint: 'readDecision', call: { params: { record_id: name } } };
  if (kind === 'workflows' && /^[0-9a-f]{64}$/.test(name))
    return { endpoint: 'readSnapshot', call: { params: { hash: name } } };
  return null;
}
