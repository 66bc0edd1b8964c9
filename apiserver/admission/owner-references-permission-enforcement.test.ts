import { describe, expect, it } from 'vitest';
import { builtinKinds, pods } from '../../api/groups/index.ts';
import type { AnyKind } from '../../api/kinds/scheme.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { kubernetesVocabulary } from '../../api/vocabulary/vocabulary.ts';
import type { AdmissionRequest, Attributes } from '../request.ts';
import { createOwnerReferencesPermissionEnforcement } from './owner-references-permission-enforcement.ts';
import { admit } from './request.fixture.ts';

/** Creates the plugin. Its authorizer records requests as text and allows the listed ones. */
function enforcement(...allowed: readonly string[]) {
  const requested: string[] = [];
  const plugin = createOwnerReferencesPermissionEnforcement({
    vocabulary: kubernetesVocabulary,
    scheme: createScheme(kubernetesVocabulary, builtinKinds),
    authorizer: {
      name: 'test',
      authorize({ verb, group, resource, subresource, namespace, name }: Attributes) {
        const question = `${verb} ${group}/${resource}${subresource && `/${subresource}`} ${namespace}/${name}`;
        requested.push(question);
        return Promise.resolve(
          allowed.includes(question)
            ? { verdict: 'allow', reason: '' }
            : { verdict: 'no-opinion', reason: 'why' },
        );
      },
    },
  });
  return { requested, write: (over: Partial<AdmissionRequest>) => admit(plugin, { name: 'web', ...over }) };
}

const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: 'u1' };
const blocking = { ...owner, blockOwnerDeletion: true };
const node = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'u2', blockOwnerDeletion: true };
const owned = (...ownerReferences: readonly object[]) =>
  ({ metadata: { name: 'web', namespace: 'ns', ownerReferences } }) as AdmissionRequest['object'];
const update = (object: AdmissionRequest['object'], previous = owned()) => ({
  operation: 'UPDATE' as const,
  object,
  previous,
});
const DELETE_POD = 'delete /pods ns/web';

describe('OwnerReferencesPermissionEnforcement', () => {
  it('requires no permission to set owners on create or to keep them', async () => {
    const { requested, write } = enforcement();
    await write({ object: owned(owner) });
    await write(update(owned(owner), owned(owner)));
    await write({ ...update(owned(owner)), subresource: 'status' });
    expect(requested).toEqual([]);
  });

  it.each([
    ['added', owned(owner), owned()],
    ['removed', owned(), owned(owner)],
    ['replaced', owned({ ...owner, uid: 'x' }), owned(owner)],
    ['reordered', owned(node, owner), owned(owner, node)],
  ])('requires the permission to delete the object when owners are %s', async (_what, object, previous) => {
    await enforcement(DELETE_POD).write(update(object, previous));
    await expect(enforcement().write(update(object, previous))).rejects.toThrow(
      'pods "web" is forbidden: cannot set an ownerRef on a resource you can\'t delete: why, <nil>',
    );
  });

  it("requires permission on the owner's finalizers to block its deletion, in the owner's namespace", async () => {
    const finalizers = 'update apps/replicasets/finalizers ns/rs';
    await enforcement(finalizers).write({ object: owned(blocking) });
    await enforcement('update /nodes/finalizers /n1').write({ object: owned(node) });
    await expect(enforcement().write({ object: owned(blocking) })).rejects.toThrow(
      "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: why, <nil>",
    );
    await expect(enforcement(DELETE_POD).write(update(owned(blocking), owned(owner)))).rejects.toThrow(
      "can't set finalizers on",
    );
  });

  it('does not check owners whose deletion was already blocked', async () => {
    const { requested, write } = enforcement(DELETE_POD);
    await write(update(owned(blocking, owner), owned(blocking)));
    expect(requested).toEqual([DELETE_POD]);
  });

  it('rejects an owner of an unknown kind whose deletion is to be blocked', async () => {
    const unknown = { ...blocking, apiVersion: 'example.com/v1', kind: 'Thing' };
    await expect(
      enforcement().write({ object: owned(unknown), kind: pods as unknown as AnyKind }),
    ).rejects.toThrow(
      'cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion example.com/v1 Kind Thing: no matches for kind "Thing" in version "example.com/v1"',
    );
  });
});
