import { closeSync } from "node:fs";
import type { Socket } from "node:net";
import { constants } from "node:os";
import koffi from "koffi";
import { z } from "zod";

// sys/socket.h, which differs between Linux and macOS.
const isLinux = process.platform === "linux";
const [unixFamily, streamType, noMoreReading, passDescriptors] = [1, 1, 0, 1];
const socketLevel = isLinux ? 1 : 0xffff;
const sendBufferSize = isLinux ? 7 : 0x1001;
const doNotWait = isLinux ? 0x40 : 0x80;
const size = isLinux ? "size_t" : "uint32";

const library = koffi.load(null);
const part = koffi.struct({ bytes: "void *", length: "size_t" });
const message = koffi.struct({
  name: "void *",
  nameLength: "uint32",
  parts: koffi.pointer(part),
  partCount: isLinux ? "size_t" : "int",
  control: "void *",
  controlLength: size,
  flags: "int",
});
const socketpair = library.func("int socketpair(int family, int type, int protocol, void *descriptors)");
const setsockopt = library.func("int setsockopt(int fd, int level, int name, void *value, uint32 length)");
const shutdown = library.func("int shutdown(int fd, int how)");
const sendmsg = library.func("sendmsg", "int64", ["int", koffi.pointer(message), "int"]);

/** Node has no public name for the descriptor of a socket. */
const OpenSocket = z.object({ _handle: z.object({ fd: z.int().nonnegative() }) });

/**
 * Gives connected sockets to an engine host. The parent only writes: nothing that the host does with its end reaches
 * this process. The host receives through Node's own channel, for which `NODE_CHANNEL_FD` names the descriptor.
 */
export class SocketChannel {
  /** The host's end, until `closeHostEnd`. */
  readonly hostEnd: number;
  #end: number | undefined;

  constructor() {
    const descriptors = Buffer.alloc(8);
    if (socketpair(unixFamily, streamType, 0, descriptors) !== 0) {
      throw new Error(`No channel for sockets could be created: error ${koffi.errno()}.`);
    }
    this.#end = descriptors.readInt32LE(0);
    this.hostEnd = descriptors.readInt32LE(4);
    // The smallest buffer that the system allows: a host that takes no sockets can keep only a few of them waiting.
    setsockopt(this.#end, socketLevel, sendBufferSize, Buffer.alloc(4), 4);
    shutdown(this.#end, noMoreReading);
  }

  /** Closes this process's copy of the host's end, once the host has its own. */
  closeHostEnd(): void {
    closeSync(this.hostEnd);
  }

  /** Sends a copy of the socket. This process must not use its own afterwards, except to destroy it. */
  send(socket: Socket, taskId: number): "sent" | "closed" | "full" {
    const { data: opened } = OpenSocket.safeParse(socket);
    if (!opened || this.#end === undefined) return "closed";
    const text = Buffer.from(`${JSON.stringify(nodeMessage(taskId))}\n`);
    const control = controlMessage(opened._handle.fd);
    const sent = sendmsg(
      this.#end,
      {
        name: null,
        nameLength: 0,
        parts: [{ bytes: text, length: text.length }],
        partCount: 1,
        control,
        controlLength: control.length,
        flags: 0,
      },
      doNotWait,
    );
    if (Number(sent) === text.length) return "sent";
    return koffi.errno() === constants.errno.EPIPE ? "closed" : "full";
  }

  close(): void {
    if (this.#end !== undefined) closeSync(this.#end);
    this.#end = undefined;
  }
}

/** The form in which Node expects a socket, as `child.send` writes it. */
const nodeMessage = (id: number) => ({ cmd: "NODE_HANDLE", type: "net.Socket", msg: { id } });

function controlMessage(descriptor: number): Buffer {
  // Its length, level and type, and the descriptor. On Linux the length has 8 bytes, and so has what follows it.
  const lengthBytes = isLinux ? 8 : 4;
  const header = Buffer.alloc(lengthBytes + 8);
  header.writeUInt32LE(header.length + 4, 0);
  header.writeInt32LE(socketLevel, lengthBytes);
  header.writeInt32LE(passDescriptors, lengthBytes + 4);
  const data = Buffer.alloc(isLinux ? 8 : 4);
  data.writeInt32LE(descriptor, 0);
  return Buffer.concat([header, data]);
}
