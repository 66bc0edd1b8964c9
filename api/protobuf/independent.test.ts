import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtinKinds } from '../groups/index.ts';
import { decodeProto, encodeProto } from './envelope.ts';
import { messageType, pairsOf, withoutZero } from './independent.fixture.ts';

/** Kinds whose messages together contain every sort of field. */
const KINDS = [
  '/v1/ConfigMap',
  '/v1/Secret',
  '/v1/Service',
  '/v1/Pod',
  '/v1/Node',
  '/v1/PersistentVolumeClaim',
  '/v1/Event',
  '/v1/ResourceQuota',
  'apps/v1/Deployment',
  'apps/v1/StatefulSet',
  'apps/v1/ControllerRevision',
  'batch/v1/CronJob',
  'autoscaling/v2/HorizontalPodAutoscaler',
  'networking/v1/NetworkPolicy',
  'networking/v1/Ingress',
  'rbac.authorization/v1/ClusterRole',
  'rbac.authorization/v1/RoleBinding',
  'coordination/v1/Lease',
  'discovery/v1/EndpointSlice',
  'policy/v1/PodDisruptionBudget',
  'certificates/v1/CertificateSigningRequest',
  'admissionregistration/v1/ValidatingWebhookConfiguration',
  'authentication/v1/TokenReview',
  'storage/v1/StorageClass',
];

const kindOf = (name: string) => {
  const found = builtinKinds.find(({ group, version, kind }) => `${group}/${version}/${kind}` === name);
  if (!found) throw new Error(`${name} is no built-in kind`);
  return found;
};

describe.each(KINDS)('the message of %s', (name) => {
  const { schema, kind } = kindOf(name);
  const type = messageType(kind);

  it('is read by another decoder that uses the published field numbers', () => {
    fc.assert(
      fc.property(pairsOf(type), ([json, message]) => {
        const read = type.toObject(type.decode(encodeProto(schema, json as object)), {
          longs: Number,
          bytes: String,
        });
        expect(withoutZero(read)).toEqual(withoutZero(message));
      }),
      { numRuns: 40 },
    );
  });

  it('is read if another encoder with the published field numbers writes it', () => {
    fc.assert(
      fc.property(pairsOf(type), ([json, message]) => {
        const bytes = type.encode(type.fromObject(message as object)).finish();
        expect(withoutZero(decodeProto(schema, bytes))).toEqual(withoutZero(json));
      }),
      { numRuns: 40 },
    );
  });
});
