/** The descriptors of an engine host, after the standard ones: messages, and sockets that its parent connected. */
export const messageDescriptor = 3;
export const socketDescriptor = 4;
export const firstInputDescriptor = 5;

/** Tells Node in the host where sockets arrive. */
export const channelEnvironment = { NODE_CHANNEL_FD: String(socketDescriptor) };
