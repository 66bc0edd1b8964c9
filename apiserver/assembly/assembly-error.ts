import { CodedError } from '../../base/errors/index.ts';

/** Thrown if the settings require a transport to other servers and none is configured. */
export class AssemblyError extends CodedError<'ERR_NO_OUTBOUND'> {}
