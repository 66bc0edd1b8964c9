import { isDeepStrictEqual } from 'node:util';
import type { AnyKind, DeepReadonly, Scheme } from '../../api/kinds/index.ts';
import type { OwnerReference } from '../../api/types/meta-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { type Soon, whenThere } from '../../base/async/index.ts';
import { charged, spend } from '../../base/budget/index.ts';
import type { AdmissionPlugin, Attributes, Authorizer, Decision, ValidatedRequest } from '../request.ts';
import { rejection } from './rejection.ts';

type Request = ValidatedRequest;
type Owner = DeepReadonly<OwnerReference>;

/**
 * Work units for examining an owner, and for an authorization decision on an owner, in addition to the
 * authorizer's own.
 */
const OWNER_WORK = 0.5;
const DECISION_WORK = 3;

/** Returns the owners whose deletion the object blocks in the new state but not in the previous state. */
function newlyBlocking({ object, previous }: Request): readonly Owner[] {
  const before = new Map((previous?.metadata?.ownerReferences ?? []).map((owner) => [owner.uid, owner]));
  return (object?.metadata?.ownerReferences ?? []).filter(
    (owner) => owner.blockOwnerDeletion === true && before.get(owner.uid)?.blockOwnerDeletion !== true,
  );
}

/** Formats reason and error of a decision as Go prints them. */
const decisionText = ({ reason, error }: Decision): string => `${reason}, ${error ?? '<nil>'}`;

interface PermissionOptions {
  readonly vocabulary: Vocabulary;
  readonly scheme: Scheme;
  readonly authorizer: Authorizer;
}

/**
 * Creates a plugin that restricts changes of owner references
 * (https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#ownerreferencespermissionenforcement).
 * A user who changes the owners of an object needs permission to delete the object, as deleting an owner
 * deletes it. If the object is to block the deletion of an owner, the user needs permission to update the
 * owner's finalizers.
 */
export function createOwnerReferencesPermissionEnforcement(options: PermissionOptions): AdmissionPlugin {
  return {
    name: 'OwnerReferencesPermissionEnforcement',
    operations: ['CREATE', 'UPDATE'],
    async validate(request) {
      const { kind, subresource, object, previous, operation, budget } = request;
      // Old node agents send wrong owner references with the status of a pod. Status updates ignore owner
      // references.
      if (kind.group === '' && kind.plural === 'pods' && subresource === 'status') return;
      const owners = object?.metadata?.ownerReferences ?? [];
      spend(owners.length * OWNER_WORK);
      if (isDeepStrictEqual(owners, previous?.metadata?.ownerReferences ?? [])) return;
      if (operation !== 'CREATE') await checkDelete(options, request);
      for (const owner of charged(budget, () => newlyBlocking(request))) {
        if (budget?.isDue) await budget.pause();
        const allowed = charged(budget, () => checkBlocking(options, request, owner));
        if (allowed instanceof Promise) await allowed;
      }
    },
  };
}

const ask = (
  { vocabulary, authorizer }: PermissionOptions,
  { user }: Request,
  { group, version, plural }: Pick<AnyKind, 'group' | 'version' | 'plural'>,
  about: Pick<Attributes, 'verb' | 'subresource' | 'namespace' | 'name'>,
): Soon<Decision> =>
  authorizer.authorize({
    ...about,
    user,
    isResourceRequest: true,
    path: '',
    group: vocabulary.group(group),
    version,
    resource: plural,
  });

async function checkDelete(options: PermissionOptions, request: Request): Promise<void> {
  const { kind, subresource, namespace, name } = request;
  const decision = await ask(options, request, kind, { verb: 'delete', subresource, namespace, name });
  if (decision.verdict === 'allow') return;
  const words = `cannot set an ownerRef on a resource you can't delete: ${decisionText(decision)}`;
  throw rejection(request, options.vocabulary, words);
}

function checkBlocking(options: PermissionOptions, request: Request, owner: Owner): Soon<void> {
  const { vocabulary, scheme } = options;
  spend(DECISION_WORK);
  const kind = scheme.byApiVersion(owner.apiVersion, owner.kind);
  if (kind === undefined)
    throw rejection(
      request,
      vocabulary,
      `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${owner.apiVersion} Kind ${owner.kind}: no matches for kind ${JSON.stringify(owner.kind)} in version ${JSON.stringify(owner.apiVersion)}`,
    );
  const requested = ask(options, request, kind, {
    verb: 'update',
    subresource: 'finalizers',
    namespace: kind.namespaced ? request.namespace : '',
    name: owner.name,
  });
  return whenThere(requested, (decision) => {
    if (decision.verdict === 'allow') return;
    const words = `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${decisionText(decision)}`;
    throw rejection(request, vocabulary, words);
  });
}
