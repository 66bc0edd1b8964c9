import { assign, setup } from 'xstate';
import {
  type ReconcileInput,
  type ReconcileOutput,
  failedBy,
  reconcileDelays,
  settled,
  unprovided,
} from '../reconcile/reconcile.ts';
import { effectStates } from '../reconcile/effect-state.ts';

/** Approved request for one of this controller's signers, without a certificate or failure. */
export interface RequestToSign {
  readonly uid: string;
  readonly resourceVersion: string;
  /** Reason for which the signer rejects the request permanently; '' if it may be signed. */
  readonly fault: string;
}

/** New certificate that is not published yet. */
export interface Signed {
  /** Certificate in PEM. */
  readonly certificate: string;
  /**
   * Reason for which the certificate must not be published, such as a difference from the approved request;
   * '' if it may be published.
   */
  readonly fault: string;
}

export interface SignInput {
  readonly key: string;
  readonly uid: string;
}

export interface IssueInput {
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Certificate in PEM; it is public. */
  readonly certificate: string;
}

export interface RefuseInput {
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly message: string;
}

interface Context extends ReconcileInput {
  readonly request: RequestToSign | undefined;
  readonly certificate: string;
  /** Reason for which the signer rejects the request; '' if it does not. */
  readonly fault: string;
  readonly output: ReconcileOutput;
}

const machineSetup = setup({
  types: { input: {} as ReconcileInput, context: {} as Context, output: {} as ReconcileOutput },
  actors: {
    observe: unprovided<RequestToSign | null, { readonly key: string }>('observe'),
    sign: unprovided<Signed, SignInput>('sign'),
    issue: unprovided<void, IssueInput>('issue'),
    refuse: unprovided<void, RefuseInput>('refuse'),
  },
  guards: {
    'there is nothing to sign': ({ context }) => context.request === undefined,
    'the request breaks the rules': ({ context }) => context.fault !== '',
    'the certificate was not approved': (_, { fault }: Signed) => fault !== '',
  },
  actions: {
    fail: assign({ output: failedBy }),
  },
  delays: reconcileDelays,
});
const effectState = effectStates(machineSetup);

/**
 * Signs an approved certificate request. Marks the request as failed if the signer's rules forbid it, or if
 * the certificate differs from the approved request.
 *
 *     observing → deciding → signing → issuing → settled
 *                     ↘         ↓          ↗
 *                          refusing
 */
export const csrSigningMachine = machineSetup.createMachine({
  id: 'csrsigning',
  context: ({ input }) => ({ request: undefined, certificate: '', fault: '', output: settled(), ...input }),
  output: ({ context }) => context.output,
  initial: 'observing',
  states: {
    observing: effectState({
      id: 'observe',
      src: 'observe',
      input: ({ context }) => ({ key: context.key }),
      onDone: {
        target: 'deciding',
        actions: assign({
          request: ({ event }) => event.output ?? undefined,
          fault: ({ event }) => event.output?.fault ?? '',
        }),
      },
    }),
    deciding: {
      always: [
        { guard: 'there is nothing to sign', target: 'settled' },
        { guard: 'the request breaks the rules', target: 'refusing' },
        { target: 'signing' },
      ],
    },
    signing: effectState({
      id: 'sign',
      src: 'sign',
      input: ({ context }) => ({ key: context.key, uid: context.request?.uid ?? '' }),
      onDone: [
        {
          guard: { type: 'the certificate was not approved', params: ({ event }) => event.output },
          target: 'refusing',
          actions: assign({ fault: ({ event }) => event.output.fault }),
        },
        { target: 'issuing', actions: assign({ certificate: ({ event }) => event.output.certificate }) },
      ],
    }),
    issuing: effectState({
      id: 'issue',
      src: 'issue',
      input: ({ context: { key, request, certificate } }) => ({
        key,
        uid: request?.uid ?? '',
        resourceVersion: request?.resourceVersion ?? '',
        certificate,
      }),
      onDone: { target: 'settled' },
    }),
    refusing: effectState({
      id: 'refuse',
      src: 'refuse',
      input: ({ context: { key, request, fault } }) => ({
        key,
        uid: request?.uid ?? '',
        resourceVersion: request?.resourceVersion ?? '',
        message: fault,
      }),
      onDone: { target: 'settled' },
    }),
    settled: { type: 'final' },
    failed: { type: 'final' },
  },
});
