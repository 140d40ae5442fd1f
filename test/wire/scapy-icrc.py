# SPDX-License-Identifier: GPL-2.0-only
"""scapy-icrc.py FILE: for each RoCEv2 packet of a capture, prints opcode, ICRC, and what scapy computes for it."""
import sys

from scapy.contrib.roce import BTH
from scapy.layers.l2 import Ether
from scapy.utils import rdpcap

for packet in rdpcap(sys.argv[1]):
    sent = packet[BTH].icrc
    unsealed = packet.copy()
    unsealed[BTH].icrc = None
    computed = Ether(bytes(unsealed))[BTH].icrc
    print(packet[BTH].opcode, "%08x" % sent, "%08x" % computed)
