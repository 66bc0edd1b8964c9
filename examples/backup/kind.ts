import { type ApiObject, type Vocabulary, customResourceDefinitions } from 'orch/api';
import type { Condition } from 'orch/machines';
import { customKind } from 'orch/runtime';

/** Copy of a PersistentVolumeClaim, created by a Job. */
export interface Backup extends ApiObject {
  spec: { claim: string; image: string };
  status?: { observedGeneration?: number; job?: string; conditions?: Condition[] };
}

export const backups = customKind<Backup>({
  group: 'example.com',
  version: 'v1',
  kind: 'Backup',
  plural: 'backups',
  namespaced: true,
});

const text = { type: 'string' };

/** Returns the CustomResourceDefinition of the kind, with which a server serves it. */
export const backupDefinition = (vocabulary: Vocabulary) => ({
  apiVersion: vocabulary.apiVersion(customResourceDefinitions.group, customResourceDefinitions.version),
  kind: customResourceDefinitions.kind,
  metadata: { name: 'backups.example.com' },
  spec: {
    group: backups.group,
    scope: 'Namespaced' as const,
    names: { kind: backups.kind, plural: backups.plural, singular: 'backup' },
    versions: [
      {
        name: backups.version,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                required: ['claim', 'image'],
                properties: { claim: text, image: text },
              },
              status: {
                type: 'object',
                properties: {
                  observedGeneration: { type: 'integer' },
                  job: text,
                  conditions: {
                    type: 'array',
                    items: {
                      type: 'object',
                      required: ['type', 'status'],
                      properties: {
                        type: text,
                        status: text,
                        observedGeneration: { type: 'integer' },
                        lastTransitionTime: { type: 'string', format: 'date-time' },
                        reason: text,
                        message: text,
                      },
                    },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
});
