import { expect, it } from 'vitest';
import { flowSchemasV1beta1 } from '../../../api/groups/flowcontrol-v1beta1.ts';
import { flowSchemas } from '../../../api/groups/flowcontrol-v1beta2.ts';
import type { AnyKind } from '../../../api/kinds/scheme.ts';
import { kubernetesVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { createTransformer } from './table.ts';

it.each([flowSchemas, flowSchemasV1beta1])(
  'a Table of FlowSchemas ($version) is sorted by matching precedence, then by name',
  (kind) => {
    const table = createTransformer(
      { kind: 'Table', version: 'v1' },
      kind as unknown as AnyKind,
      kubernetesVocabulary,
      new URLSearchParams({ includeObject: 'None' }),
      () => 0,
    );
    const schema = (name: string, matchingPrecedence: number): object => ({
      metadata: { name },
      spec: { matchingPrecedence },
    });
    const objects = [schema('a', 500), schema('b', 9), schema('c', 1), schema('d', 500)];
    const { form, order } = table.many({});
    const rows = objects.toSorted(order).map(form) as readonly { cells: unknown[] }[];
    expect(rows.map(({ cells }) => cells[0])).toEqual(['c', 'b', 'a', 'd']);
  },
);
