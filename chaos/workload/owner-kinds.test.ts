import { describe, expect, it } from 'vitest';
import { decoded, everyFeature } from '../../api/groups/fixture.ts';
import { builtinKinds } from '../../api/groups/index.ts';
import type { Kind } from '../../api/kinds/index.ts';
import { resourceOf } from '../invariants/invariant.ts';
import { ownerKinds } from './owner-kinds.ts';

describe.each(ownerKinds.map((kind) => [kind.resource, kind] as const))(
  'the owner kind %s',
  (resource, { base }) => {
    it('has a valid object', () => {
      const kind = builtinKinds.find((each) => resourceOf(each) === resource) as Kind | undefined;
      expect(kind).toBeDefined();
      if (kind === undefined) return;
      const object = decoded(
        kind,
        { ...base, metadata: { name: 'owner', namespace: 'team', uid: 'u' } },
        everyFeature,
      );
      kind.strategy.prepareForCreate?.(object, everyFeature);
      expect(kind.strategy.validate?.(object, everyFeature) ?? []).toEqual([]);
    });
  },
);
