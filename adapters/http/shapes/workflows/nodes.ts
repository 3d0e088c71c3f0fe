import { z } from 'zod';
import { nodeTemplate } from '../../../../domain/workflows/node-catalogue.ts';
import { NODE_GROUPS, PORT_TYPES } from '../../../../domain/workflows/node-template.ts';

const port = z.string();
const type = z.enum(PORT_TYPES);

/** One kind of step (settled.md section 11). */
export const nodeTemplateView = z
  .strictObject({
    node_id: z.string().describe('`group.name`; a node of a draft refers to it.'),
    title: z.string(),
    group: z.enum(NODE_GROUPS),
    version: z.int().min(1).describe('Grows with every change of the template.'),
    inputs: z
      .array(
        z
          .strictObject({
            port,
            type,
            required: z.boolean().describe('Whether an edge must end here.'),
            multiple: z.boolean().describe('Whether more than one edge may end here.'),
          })
          .meta({ id: 'NodeInput' }),
      )
      .readonly(),
    outputs: z.array(z.strictObject({ port, type }).meta({ id: 'NodeOutput' })).readonly(),
    config_schema: z
      .record(z.string(), z.unknown())
      .describe('JSON Schema (draft 2020-12) of `config`; a missing member gets its default.'),
    instructions: z.string().describe('What the agent that follows it reads, decides and passes on.'),
  })
  .meta({ id: 'NodeTemplate' });

export const nodeList = z
  .strictObject({
    items: z.array(nodeTemplateView).readonly(),
    next_cursor: z.null(),
  })
  .meta({ id: 'NodeTemplateList' });

export const nodeExample = exampleOf('logic.freshness');

function exampleOf(node_id: string): z.input<typeof nodeTemplateView> {
  const template = nodeTemplate(node_id);
  if (!template) throw new Error(`There is no node ${node_id}`);
  return template;
}
